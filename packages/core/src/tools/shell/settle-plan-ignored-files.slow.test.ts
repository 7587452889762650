import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfined, modelText, openTempShell, type TempShellOptions } from './fixtures/temp-shell.js';

const confined = await isConfined();

async function open(options: TempShellOptions = {}) {
  const shell = await openTempShell(options);
  shell.write('.gitignore', '__pycache__/\n');
  shell.write('src/a.py', 'x = 1\n');
  return shell;
}

const test = 'mkdir -p src/__pycache__ && echo cache > src/__pycache__/a.pyc';

describe.runIf(confined)('a command that leaves a cache which git ignores', () => {
  it('asks nothing, keeps the cache, and can be undone', async () => {
    await using shell = await open();
    const settled = await shell.run(test);
    expect(shell.asked).toEqual([]);
    expect(modelText(settled)).toContain(
      '[kept: 1 file and 1 folder created: src/__pycache__/a.pyc, src/__pycache__]',
    );
    expect(shell.read('src/__pycache__/a.pyc')).toBe('cache\n');
    expect(settled.changeSet).toEqual(expect.any(String));
    await shell.run('echo newer > src/__pycache__/a.pyc');
    expect(shell.asked).toEqual([]);
  });

  it('asks before the cache is deleted', async () => {
    await using shell = await open();
    await shell.run(test);
    await shell.run('rm -r src/__pycache__');
    expect(shell.asked).toHaveLength(1);
  });

  it('asks about the rest alone, counts what git ignores, and drops both after a no', async () => {
    await using shell = await open({ answer: { kind: 'cancel' } });
    await shell.run(`${test}; echo new > b.txt`);
    const [{ details } = { details: undefined }] = shell.asked;
    expect(details).toMatchObject({ summary: '1 file created, and 1 file that git ignores' });
    expect(details?.kind === 'exec' && details.diff?.files.map(({ path }) => path)).toEqual(['b.txt']);
    expect([shell.read('b.txt'), shell.read('src/__pycache__/a.pyc')]).toEqual([null, null]);
  });

  it('gains nothing by writing ignore rules itself', async () => {
    await using shell = await open();
    await shell.run('echo "*.txt" >> .gitignore; echo new > b.txt');
    expect(shell.asked[0]?.details).toMatchObject({ summary: '1 file changed, 1 file created' });
  });

  it('is asked about where the user wants that, or has a rule about such files', async () => {
    await using asking = await open({ ignoredFiles: 'ask' });
    await asking.run(test);
    expect(asking.asked).toHaveLength(1);
    const rule = { verdict: 'deny' as const, text: 'Edit(**/*.pyc)', source: 'test' };
    await using denying = await open({ rules: [rule] });
    expect((await denying.run(test)).denied?.by).toBe('rule');
    expect(denying.read('src/__pycache__/a.pyc')).toBeNull();
  });

  it('keeps what the command line itself names, too', async () => {
    await using shell = await open();
    shell.write('.gitignore', '*.log\n');
    await shell.run('echo line > debug.log');
    expect(shell.asked).toEqual([]);
    expect(readFileSync(join(shell.directory, 'debug.log'), 'utf8')).toBe('line\n');
  });
});
