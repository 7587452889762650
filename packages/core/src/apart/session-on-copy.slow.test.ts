import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTree } from '@toolwright/machine/changes/staged-run/fixtures/describe-tree.js';
import { isRoot } from '@toolwright/machine/changes/staged-run/fixtures/temp-staged.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import type { ToolboxOptions } from '../options/toolbox-options.js';
import { pastChanges } from '../session/past-changes.js';
import { apartOptions, callTool } from './fixtures/session-apart.js';
import { tryCommand } from './try-command.js';

if (!isRoot) console.log('evidence: no right to mount: sessions on a plain copy were not tried');

const { signal } = new AbortController();
let temp: TempWorkspace;
let toolbox: Toolbox;
let asked: string[];

/** A file system mounted in the workspace is what no overlay reaches. */
beforeEach(() => {
  asked = [];
  temp = createTempWorkspace({ content: { 'a.txt': 'one\ntwo\n', 'src/b.ts': 'const b = 1;\n' } });
  mkdirSync(join(temp.directory, 'mounted'));
  if (!isRoot) return;
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(temp.directory, 'mounted')]);
  writeFileSync(join(temp.directory, 'mounted/m.txt'), 'mounted\n');
});
afterEach(async () => {
  await toolbox?.close();
  if (isRoot) execFileSync('umount', [join(temp.directory, 'mounted')]);
  await temp.cleanup();
});

async function open(more: Partial<ToolboxOptions> = {}): Promise<Toolbox> {
  toolbox = await createToolbox({ ...apartOptions(temp, asked), ...more });
  return toolbox;
}

const call = (name: string, args: object): Promise<string> => callTool(toolbox, name, args);

const shell = (command: string): Promise<string> => call('run_shell_command', { command });
const real = (path: string): string => readFileSync(join(temp.directory, path), 'utf8');

describe.runIf(isRoot)('a session apart where no overlay can be used', () => {
  it('says so with what a plain copy costs, works on that at the path of the workspace, and keeps what was reviewed', async () => {
    const before = describeTree(temp.directory);
    await open();
    expect(toolbox.notices).toEqual([
      `No overlay can be used here (${temp.directory}/mounted inside ${temp.directory} is a file system of its own, which an overlay does not reach), so a plain copy of the workspace is made: 5 files, 29 bytes, about 1 second.`,
    ]);
    await call('edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' });
    await shell('rm src/b.ts; echo new > c.txt; echo more >> mounted/m.txt');
    if ((await toolbox.commands.sandbox.state(signal)).confined) {
      expect(asked).toEqual([]);
      expect(await shell('pwd; cat a.txt')).toContain(`${temp.directory}\none\nTWO`);
    }
    expect(await call('grep_search', { pattern: 'TWO|new' })).toContain('c.txt');
    expect(await call('glob', { pattern: '**/*' })).not.toContain('src/b.ts');
    expect(describeTree(temp.directory)).toEqual(before);
    const { review } = await toolbox.apart.review(signal);
    expect(review.summary).toBe('1 file deleted, 2 files changed, 1 file created');
    const { changeSet } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
    expect([real('a.txt'), real('c.txt'), real('mounted/m.txt')]).toEqual([
      'one\nTWO\n',
      'new\n',
      'mounted\nmore\n',
    ]);
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
    const past = await pastChanges(toolbox.state, temp.directory, signal);
    const plan = await toolbox.planUndo(past.at(-1)!, signal);
    if (plan.kind !== 'ready') throw new Error(plan.kind);
    await toolbox.undo(plan.planned, changeSet!.id, signal);
    expect(describeTree(temp.directory)).toEqual(before);
  });

  it('goes on with its copy after a restart, and what others did meanwhile is merged', async () => {
    await open();
    await shell('sed -i s/one/ONE/ a.txt');
    const id = toolbox.apart.id!;
    await toolbox.close();
    writeFileSync(join(temp.directory, 'src/b.ts'), 'const b = 2;\n');
    await open({ apart: id });
    expect(await shell('cat a.txt')).toContain('ONE');
    const { review } = await toolbox.apart.review(signal);
    expect(review.items.map(({ path }) => path)).toEqual([join(temp.directory, 'a.txt')]);
    await toolbox.apart.drop('all', signal);
    expect(await shell('cat a.txt src/b.ts')).toContain('one\ntwo\nconst b = 2;');
  });

  it('makes the copy anew where a kill left it half made', async () => {
    await open();
    await shell('echo changed > a.txt');
    const id = toolbox.apart.id!;
    await toolbox.close();
    // The state after a kill while everything was dropped: a copy counts as made once its marks are written.
    rmSync(join(temp.outside, 'state/apart', id, 'copied-0.json'));
    writeFileSync(join(temp.directory, 'a.txt'), 'three\n');
    await open({ apart: id });
    expect(await shell('cat a.txt')).toContain('three');
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
  });

  it('leaves nothing where nothing was changed, and a call is undone inside', async () => {
    await open();
    await call('write_file', { file_path: 'c.txt', content: 'new\n' });
    const [first] = await pastChanges(toolbox.state, temp.directory, signal);
    const plan = await toolbox.planUndo(first!, signal);
    if (plan.kind !== 'ready') throw new Error(plan.kind);
    await toolbox.undo(plan.planned, first!.changeSet.id, signal);
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
    await toolbox.close();
    expect(readdirSync(join(temp.outside, 'state/apart'))).toEqual([]);
  });

  it('asks about commands where there is no sandbox either; who wants to hear of the copy is told before it is made', async () => {
    const told: string[] = [];
    await open({
      sandbox: { mode: 'off' },
      onCopy: (sentence) => told.push(`${sentence} ${readdirSync(join(temp.outside, 'state/apart')).length}`),
    });
    expect(told).toEqual([expect.stringMatching(/about 1 second\. 1$/)]);
    expect(toolbox.notices).toEqual([]);
    await shell('echo new > c.txt');
    expect(asked).toEqual([expect.stringContaining('run_shell_command: ')]);
    expect(existsSync(join(temp.directory, 'c.txt'))).toBe(false);
    expect(await call('read_file', { file_path: 'c.txt' })).toContain('new');
  });

  it('runs a job in the copy', async () => {
    await open();
    await call('run_shell_command', { command: 'echo by a job > job.txt; sleep 60', is_background: true });
    await expect.poll(() => call('glob', { pattern: '*.txt' })).toContain('job.txt');
    await toolbox.commands.shell.jobs.stop('job-1');
    const { review } = await toolbox.apart.review(signal);
    expect(review.summary).toBe('1 file created');
    expect(existsSync(join(temp.directory, 'job.txt'))).toBe(false);
  });

  it('tries a command on a plain copy too', async () => {
    await open({ apart: false });
    const said: string[] = [];
    const tried = await tryCommand(toolbox, {
      command: 'echo tried >> a.txt; rm mounted/m.txt',
      input: 'none',
      signal,
      say: (sentence) => said.push(sentence),
    });
    expect(said).toEqual([expect.stringContaining('so a plain copy of the workspace is made: 5 files')]);
    expect([tried.exitCode, tried.review.summary, real('a.txt')]).toEqual([
      0,
      '1 file deleted, 1 file changed',
      'one\ntwo\n',
    ]);
    await tried.keep('all', signal);
    expect(real('a.txt')).toBe('one\ntwo\ntried\n');
    await tried.drop();
    expect(readdirSync(join(temp.outside, 'state/stage/runs'))).toEqual([]);
  });
});
