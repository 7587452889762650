import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeTree } from '../staged-run/fixtures/describe-tree.js';
import { countOperations, script } from '../staged-run/fixtures/random-operations.js';
import { canStage, never } from '../staged-run/fixtures/temp-staged.js';
import { createTempApart } from './fixtures/temp-apart.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: work apart was not tried');

const SOMETHING = `mkdir -p a/b c 'd e/a'; for f in a/b/c a/c c/é 'd e/a/b' b; do echo $f > "$f"; done; ln -s a/c 'd e/c'`;
const bash = (text: string, cwd: string) =>
  execFileSync('bash', ['-c', `${text}\ntrue`], { cwd, stdio: 'ignore' });

describe.runIf(canTry)('work apart', () => {
  it('kept whole is what the same commands leave in the folder itself, and until then the folder keeps its bytes', async () => {
    let operations = 0;
    const scripts = fc.array(script, { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(script, scripts, async (before, commands) => {
      const temporary = await createTempApart();
      const { directory, apart, outside } = temporary;
      try {
        bash(`${SOMETHING}\n${before}`, directory);
        await apart.view.refresh(never);
        const start = describeTree(directory);
        const direct = join(outside, 'direct');
        cpSync(directory, direct, { recursive: true, verbatimSymlinks: true });
        for (const command of commands) {
          bash(command, direct);
          await temporary.play(command);
          operations += countOperations(command);
        }
        expect(describeTree(directory)).toEqual(start);
        const { review, refused } = await apart.review(never);
        expect(refused).toEqual([]);
        const { conflicts } = await apart.keep({ digest: review.digest, choice: 'all' }, never);
        expect(conflicts).toEqual([]);
        expect(describeTree(directory)).toEqual(describeTree(direct));
        expect((await apart.review(never)).review.items).toEqual([]);
        rmSync(direct, { recursive: true, force: true });
      } finally {
        await temporary.cleanup();
      }
    });
    await fc.assert(property, { seed: 20_261_118, numRuns: 10 });
    console.log(`evidence: work apart: 10 random runs, ${operations} operations, kept as done directly`);
  }, 120_000);

  it('what others change in the workspace meanwhile is merged, or left alone and named', async () => {
    const temporary = await createTempApart();
    const { apart, path, directory, write, read, cleanup } = temporary;
    const lines = (first: string, last: string) => [first, '2', '3', '4', '5', last, ''].join('\n');
    for (const name of ['merged', 'conflict', 'deleted', 'edited']) write(name, lines('1', '6'));
    await apart.view.refresh(never);
    await temporary.play('sed -i s/1/ours/ merged conflict; rm deleted; echo x >> edited');
    write('merged', lines('1', 'theirs'));
    write('conflict', lines('theirs', '6'));
    write('deleted', lines('theirs', '6'));
    rmSync(path('edited'));
    write('new', 'of somebody else\n');
    const { review } = await apart.review(never);
    expect(review.summary).toBe('deletes 1, modifies 3');
    const kept = await apart.keep({ digest: review.digest, choice: 'all' }, never);
    expect(kept.merged).toEqual([path('merged')]);
    expect(
      kept.conflicts.map((each) => `${each.path.slice(directory.length + 1)} ${each.why}`).sort(),
    ).toEqual([
      'conflict was changed in the same lines',
      'deleted was changed meanwhile, so it was not deleted',
      'edited was removed meanwhile',
    ]);
    expect([read('merged'), read('conflict'), read('deleted')]).toEqual([
      lines('ours', 'theirs'),
      lines('theirs', '6'),
      lines('theirs', '6'),
    ]);
    // The view has what others did to the kept file, and the conflicts still wait there.
    expect(readFileSync(apart.view.at(path('merged')), 'utf8')).toBe(lines('ours', 'theirs'));
    expect((await apart.review(never)).review.items.map((item) => item.path).sort()).toEqual(
      ['conflict', 'deleted', 'edited'].map((name) => path(name)),
    );
    await cleanup();
  });

  it('a part is kept, the rest waits in the view, also after a restart', async () => {
    const temporary = await createTempApart();
    const { apart, path, write, read, cleanup } = temporary;
    write('a.txt', ['1', '2', '3', '4', '5', '6', ''].join('\n'));
    await apart.view.refresh(never);
    await temporary.play('sed -i "s/1/one/; s/6/six/" a.txt; echo new > b.txt');
    const first = await apart.review(never);
    expect((await first.hunks(path('a.txt')))?.length).toBe(2);
    await apart.keep({ digest: first.review.digest, choice: new Map([[path('a.txt'), [1]]]) }, never);
    expect(read('a.txt')).toBe(['1', '2', '3', '4', '5', 'six', ''].join('\n'));
    apart.view.close();
    const again = await temporary.reopen();
    const { review } = await again.review(never);
    expect(review.items.map(({ change, added, removed }) => [change, added, removed])).toEqual([
      ['modify', 1, 1],
      ['create', 1, 0],
    ]);
    await expect(again.keep({ digest: first.review.digest, choice: 'all' }, never)).rejects.toThrow(
      'not those that were shown',
    );
    await again.keep({ digest: review.digest, choice: 'all' }, never);
    expect([read('a.txt'), read('b.txt')]).toEqual([
      ['one', '2', '3', '4', '5', 'six', ''].join('\n'),
      'new\n',
    ]);
    again.view.close();
    await cleanup();
  });

  it('files of the view are changed and read by the file door, and a command sees them', async () => {
    const temporary = await createTempApart();
    const { apart, path, cleanup } = temporary;
    await apart.files.write(path('made'), Buffer.from('by a tool\n'), { expect: { kind: 'absent' } });
    const { ended } = await apart.staged.run(temporary.launch('cat made'), { signal: never });
    expect(ended.stdout.head).toBe('by a tool\n');
    writeFileSync(path('real'), 'real\n');
    await apart.view.refresh(never);
    expect(await apart.files.readText(path('real'))).toBe('real\n');
    await cleanup();
  });
});
