import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { never } from '../staged-run/fixtures/temp-staged.js';
import { apartWays, createTempApart } from './fixtures/temp-apart.js';

describe.each(await apartWays())('work apart, way %s', (way) => {
  it('what others change in the workspace meanwhile is merged, or left alone and named', async () => {
    const temporary = await createTempApart({ way });
    const { apart, path, directory, write, read, cleanup } = temporary;
    const lines = (first: string, last: string) => [first, '2', '3', '4', '5', last, ''].join('\n');
    for (const name of ['merged', 'conflict', 'deleted', 'edited']) write(name, lines('1', '6'));
    await temporary.beginHere();
    await temporary.play('sed -i s/1/ours/ merged conflict; rm deleted; echo x >> edited');
    write('merged', lines('1', 'theirs'));
    write('conflict', lines('theirs', '6'));
    write('deleted', lines('theirs', '6'));
    rmSync(path('edited'));
    write('new', 'of somebody else\n');
    const { review } = await apart.review(never);
    expect(review.summary).toBe('1 file deleted, 3 files changed');
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

  it('what somebody else has done in the workspace as well waits no longer once it is kept', async () => {
    const temporary = await createTempApart({ way });
    const { apart, write, cleanup } = temporary;
    write('a.txt', 'one\n');
    await temporary.beginHere();
    await temporary.play('echo same > a.txt; echo same > new.txt; mkdir folder; echo same > folder/new.txt');
    write('a.txt', 'same\n');
    write('new.txt', 'same\n');
    write('folder/new.txt', 'same\n');
    const { review } = await apart.review(never);
    const kept = await apart.keep({ digest: review.digest, choice: 'all' }, never);
    expect(kept).toEqual({ changeSet: null, conflicts: [], merged: [] });
    expect((await apart.review(never)).review.items).toEqual([]);
    await cleanup();
  });

  it('work that is kept for the last time is not looked at again', async () => {
    const temporary = await createTempApart({ way });
    const { apart, cleanup, read } = temporary;
    await temporary.play('echo new > new.txt');
    const { review } = await apart.review(never);
    let looks = 0;
    const { refresh } = apart.view;
    apart.view.refresh = (signal) => {
      looks += 1;
      return refresh.call(apart.view, signal);
    };
    await apart.keep({ digest: review.digest, choice: 'all', isLast: true }, never);
    expect(looks).toBe(1);
    expect(read('new.txt')).toBe('new\n');
    await cleanup();
  });

  it('a git repository is kept and left out as a whole', async () => {
    const temporary = await createTempApart({ way });
    const { apart, path, write, read, exists, cleanup } = temporary;
    write('.git/index', 'old\n');
    write('.git/HEAD', 'old\n');
    await temporary.beginHere();
    await temporary.play('echo new > .git/index; echo new > .git/object; echo new > a.txt');
    write('.git/index', 'theirs\n');
    const { review } = await apart.review(never);
    const choice = new Map([
      [path('.git/object'), 'whole' as const],
      [path('a.txt'), 'whole' as const],
    ]);
    const { conflicts } = await apart.keep({ digest: review.digest, choice }, never);
    expect(conflicts).toEqual([
      { path: path('.git'), why: expect.stringContaining('not all of it can be kept (index: was changed') },
    ]);
    expect([read('.git/index'), exists('.git/object'), read('a.txt')]).toEqual(['theirs\n', false, 'new\n']);
    write('.git/index', 'old\n');
    const again = await apart.review(never);
    const part = new Map([[path('.git/object'), 'whole' as const]]);
    await apart.keep({ digest: again.review.digest, choice: part }, never);
    expect([read('.git/index'), read('.git/object')]).toEqual(['new\n', 'new\n']);
    expect((await apart.review(never)).review.items).toEqual([]);
    await cleanup();
  });

  it('a part is kept, the rest waits in the view, also after a restart', async () => {
    const temporary = await createTempApart({ way });
    const { apart, path, write, read, cleanup } = temporary;
    write('a.txt', ['1', '2', '3', '4', '5', '6', ''].join('\n'));
    await temporary.beginHere();
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
    const temporary = await createTempApart({ way });
    const { apart, path, cleanup } = temporary;
    await apart.files.write(path('made'), Buffer.from('by a tool\n'), { expect: { kind: 'absent' } });
    const { ended } = await apart.staged.run(temporary.launch('cat made'), { signal: never });
    expect(ended.stdout.head).toBe('by a tool\n');
    writeFileSync(path('real'), 'real\n');
    await apart.view.refresh(never);
    // A copy shows the workspace as it was when it was made.
    expect(await apart.files.readText(path('real')).catch(() => null)).toBe(way === 'copy' ? null : 'real\n');
    await cleanup();
  });
});
