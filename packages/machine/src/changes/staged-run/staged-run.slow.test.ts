import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { summarize } from '../change-set.js';
import { canStage, createTempStaged, isRoot, never, type TempStaged } from './fixtures/temp-staged.js';

const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n', 'dir/deep/d.txt': 'dee\n' };
const clean = { mounts: 0, folders: 0, processes: 0 };

let temporary: TempStaged;
beforeEach(() => {
  temporary = createTempStaged({ content: start });
});
afterEach(async () => {
  expect(temporary.leftovers()).toEqual(clean);
  await temporary.cleanup();
});

const names = (paths: { path: string }[]) => paths.map(({ path }) => temporary.workspace.show(path));
const here = await canStage();

describe.runIf(here)('a staged run', () => {
  it('leaves the workspace as it was and says what the command would have done', async () => {
    const run = await temporary.run(
      'rm a.txt; echo two >> b.txt; mkdir new; echo n > new/n; echo out; echo err >&2',
    );
    expect(temporary.tree()).toEqual(start);
    expect(run.ended).toMatchObject({ exitCode: 0, stdout: { head: 'out\n' }, stderr: { head: 'err\n' } });
    expect(summarize(run.planned.changeSet)).toBe(
      '1 file deleted, 1 file changed, 1 file and 1 folder created',
    );
    expect(run.planned.diff.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'delete a.txt',
      'modify b.txt',
      'create new/n',
    ]);
    expect(run.planned.diff.files[1]!.unified).toBe('--- a/b.txt\n+++ b/b.txt\n@@ -1 +1,2 @@\n bee\n+two\n');
    expect(run).toMatchObject({ notKept: null, flags: [], refused: [], notes: [] });
    await run.drop();
    expect(temporary.tree()).toEqual(start);
  });

  it('that is kept is one commit, recorded for undo with the origin it was given', async () => {
    const run = await temporary.run('rm a.txt; echo two >> b.txt; mkdir new; echo n > new/n');
    const committed = await run.keep({ signal: never, origin: { call: 'c1' } });
    expect(temporary.tree()).toEqual({
      'b.txt': 'bee\ntwo\n',
      'dir/c.txt': 'sea\n',
      'dir/deep/d.txt': 'dee\n',
      'new/n': 'n\n',
    });
    expect(temporary.recorded).toEqual([{ changeSet: committed, origin: { call: 'c1' } }]);
  });

  it.each([
    ['reads only', 'cat a.txt; ls -R; grep -r bee .'],
    ['touches a file without changing it', 'touch a.txt; cp a.txt t && mv t a.txt; chmod 644 a.txt'],
    ['takes back what it did', 'mkdir x; echo y > x/y; rm -r x; mv b.txt c && mv c b.txt'],
    ['fails', 'exit 3'],
  ])('that %s has an empty change set and nothing left to drop', async (_, command) => {
    const run = await temporary.run(command);
    expect(summarize(run.planned.changeSet)).toBe('nothing changed');
    expect(temporary.leftovers()).toEqual(clean);
  });

  it('lists every deletion first, however many there are', async () => {
    for (let count = 0; count < 60; count++) temporary.write(`many/${count}.txt`, 'x\n');
    const run = await temporary.run('echo first > 0.txt; rm -r many dir; echo last > z.txt');
    const changes = run.planned.diff.files.map(({ change }) => change);
    expect(changes).toEqual([...Array(62).fill('delete'), 'create', 'create']);
    expect(names(run.planned.changeSet.removedDirectories)).toEqual(
      expect.arrayContaining(['many', 'dir', 'dir/deep']),
    );
    await run.drop();
  });

  it('keeps the order in which a build wrote its files', async () => {
    const run = await temporary.run('for n in z y x; do echo $n > $n; sleep 0.02; done');
    expect(names(run.planned.changeSet.changes)).toEqual(['z', 'y', 'x']);
    await run.drop();
  });

  it('reads what was written only when it is kept', async () => {
    const run = await temporary.run('head -c 8000000 /dev/zero > big.bin');
    expect(run.planned.diff.files[0]!.unified).toBe('A new file, too large to show.');
    await run.keep({ signal: never });
    expect(temporary.readBytes('big.bin').equals(Buffer.alloc(8_000_000))).toBe(true);
  });

  it('works in a folder of the workspace, and with odd names everywhere', async () => {
    await temporary.cleanup();
    temporary = createTempStaged({ content: { 'o,d:d \\n/é ü.txt': 'x' } });
    const launch = { ...temporary.launch('pwd; echo more >> *.txt'), directory: temporary.path('o,d:d \\n') };
    const run = await temporary.staged.run(launch, { signal: never });
    expect(run.ended.stdout.head).toBe(`${temporary.path('o,d:d \\n')}\n`);
    await run.keep({ signal: never });
    expect(temporary.tree()).toEqual({ 'o,d:d \\n/é ü.txt': 'xmore\n' });
  });

  it('sees a folder that was removed and made again as what is missing from it', async () => {
    const run = await temporary.run('rm -rf dir; mkdir dir; echo sea > dir/c.txt');
    expect(summarize(run.planned.changeSet)).toBe('1 file and 1 folder deleted');
    await run.keep({ signal: never });
    expect(temporary.tree()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' });
  });

  it.runIf(isRoot)('lets folders that were there be renamed, as root', async () => {
    const script = `const fs = require('fs'); fs.renameSync('dir', 'moved'); fs.mkdirSync('dir'); fs.renameSync('moved', 'dir/inner')`;
    const run = await temporary.run(`"${process.execPath}" -e "${script}" && echo x >> dir/inner/c.txt`);
    expect(run.ended).toMatchObject({ exitCode: 0, stderr: { head: '' } });
    await run.keep({ signal: never });
    expect(temporary.tree()).toEqual({
      'a.txt': 'one\n',
      'b.txt': 'bee\n',
      'dir/inner/c.txt': 'sea\nx\n',
      'dir/inner/deep/d.txt': 'dee\n',
    });
  });

  it('covers every root that may be written, and only those', async () => {
    const [other, fixed] = [join(temporary.outside, 'other'), join(temporary.outside, 'fixed')];
    mkdirSync(other);
    mkdirSync(fixed);
    const { outside } = temporary;
    const second = createTempStaged({
      content: start,
      include: [
        { path: other, access: 'write' },
        { path: fixed, access: 'read' },
      ],
    });
    const run = await second.run(`echo 1 > one; echo 2 > ${other}/two`);
    expect(run.planned.changeSet.changes.map(({ path }) => path)).toEqual([
      second.path('one'),
      join(other, 'two'),
    ]);
    expect(existsSync(join(other, 'two'))).toBe(false);
    await run.keep({ signal: never });
    expect(readFileSync(join(outside, 'other/two'), 'utf8')).toBe('2\n');
    expect(second.leftovers()).toEqual(clean);
    await second.cleanup();
  });
});

describe.runIf(here)('what a staged run does not keep or points at', () => {
  it('refuses pipes, sockets, and files that run as somebody else', async () => {
    const socket = `require('net').createServer().listen('s', () => process.kill(process.pid, 'SIGKILL'))`;
    const run = await temporary.run(
      `mkfifo p; cp a.txt u; chmod 4755 u; chmod g+s b.txt; "${process.execPath}" -e "${socket}"; echo ok > fine`,
    );
    expect(run.refused.map(({ path, why }) => `${temporary.workspace.show(path)}: ${why}`).sort()).toEqual([
      'b.txt: mode 2644 lets it run as somebody else (setuid or setgid)',
      'p: a pipe: only files, folders and links are kept',
      's: a socket: only files, folders and links are kept',
      'u: mode 4755 lets it run as somebody else (setuid or setgid)',
    ]);
    await run.keep({ signal: never });
    expect(temporary.tree()).toEqual({ ...start, fine: 'ok\n' });
  });

  it.runIf(isRoot)('refuses devices', async () => {
    const run = await temporary.run('mknod null c 1 3');
    expect(run.refused).toEqual([
      { path: temporary.path('null'), why: 'a device: only files, folders and links are kept' },
    ]);
  });

  it('refuses names that are not UTF-8', async () => {
    const run = await temporary.run(`echo x > $'\\xff\\xfe'; echo y > y`);
    expect(run.refused).toEqual([
      {
        path: temporary.path('\\xff\\xfe'),
        why: 'its name is not UTF-8, so it was left as it was',
      },
    ]);
    expect(names(run.planned.changeSet.changes)).toEqual(['y']);
    await run.drop();
  });

  it('points at links that leave the workspace, new executables, and what is protected or runs later', async () => {
    const { needs } = temporary;
    const protectedReason = (path: string) => (path.endsWith('hooks') ? 'git runs it' : null);
    const { createStagedRuns } = await import('./create-staged-runs.js');
    const staged = createStagedRuns({ ...needs, guard: { protectedReason } });
    temporary.write('old.sh', '#!/bin/sh\n');
    const command =
      'ln -s /etc/passwd l1; ln -s ../outside l2; ln -s dir/c.txt l3; echo > new.sh; chmod +x new.sh old.sh; echo > Makefile; echo > hooks';
    const run = await staged.run(temporary.launch(command), { signal: never });
    expect(run.flags.map(({ path, why }) => `${temporary.workspace.show(path)}: ${why}`).sort()).toEqual([
      'Makefile: other programs run what is in it',
      'hooks: protected: git runs it',
      'l1: a link that leaves the workspace, to /etc/passwd',
      `l2: a link that leaves the workspace, to ${temporary.outside}`,
      'new.sh: a new executable',
      'old.sh: a new executable',
    ]);
    await run.drop();
  });

  it('does not show the content of what the rules hide', async () => {
    const { createStagedRuns } = await import('./create-staged-runs.js');
    const staged = createStagedRuns({
      ...temporary.needs,
      refusal: (_access, path) => (path.endsWith('a.txt') ? 'A rule forbids it.' : null),
    });
    const run = await staged.run(temporary.launch('echo more >> a.txt'), { signal: never });
    expect(run.planned.diff.files.map(({ unified }) => unified)).toEqual([
      'Its content is not shown: a rule keeps it back.',
    ]);
    await run.drop();
  });
});
