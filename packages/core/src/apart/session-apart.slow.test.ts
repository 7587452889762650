import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTree } from '@toolwright/machine/changes/staged-run/fixtures/describe-tree.js';
import { canStage, leftoversOf } from '@toolwright/machine/changes/staged-run/fixtures/temp-staged.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { parseServer } from '@toolwright/mcp/contract/server-config.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import type { ToolboxOptions } from '../options/toolbox-options.js';
import { pastChanges } from '../session/past-changes.js';
import { defineTool } from '../tools/own/define-tool.js';
import { apartOptions, callTool } from './fixtures/session-apart.js';
import { refusedUnseenOfWork } from './unseen-changes.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: sessions apart were not tried');

const { signal } = new AbortController();
let temp: TempWorkspace;
let toolbox: Toolbox;
let asked: string[];

beforeEach(() => {
  asked = [];
  temp = createTempWorkspace({
    content: { 'a.txt': 'one\ntwo\nthree\n', '.gitignore': 'ignored\n', 'src/b.ts': 'const b = 1;\n' },
  });
});
afterEach(async () => {
  await toolbox.close();
  expect(leftoversOf(temp.directory, join(temp.outside, 'state'))).toEqual({
    mounts: 0,
    folders: 0,
    processes: 0,
  });
  await temp.cleanup();
});

async function open(more: Partial<ToolboxOptions> = {}): Promise<Toolbox> {
  toolbox = await createToolbox({ ...apartOptions(temp, asked), ...more });
  return toolbox;
}

const call = (name: string, args: object): Promise<string> => callTool(toolbox, name, args);

const shell = (command: string, more: object = {}): Promise<string> =>
  call('run_shell_command', { command, ...more });

/** Appends lines to a file of its folder and tells how many there are. */
const SERVER = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tool = { name: 'append', description: 'Appends a line to notes.txt.', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { text } }) => {
    appendFileSync('notes.txt', text + '\\n');
    const lines = readFileSync('notes.txt', 'utf8').split('\\n').length - 1;
    return { content: [{ type: 'text', text: lines + (lines === 1 ? ' line' : ' lines') }] };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const error = { code: -32601, message: 'no such method' };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error }) }));
});
`;

describe.runIf(canTry)('a session apart', () => {
  it('lets every tool see what the others did, asks nothing, and leaves the workspace as it is', async () => {
    const before = describeTree(temp.directory);
    await open();
    await call('edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' });
    await call('write_file', { file_path: 'made/new.txt', content: 'needle\n' });
    const told = await shell(
      'sed -i s/three/THREE/ a.txt; rm src/b.ts; echo needle > ignored; mkdir -p deep; echo needle > deep/c',
    );
    expect(told).not.toContain('not kept');
    expect(told).toContain('[kept apart: 1 file deleted, 1 file changed, 2 files and 1 folder created: ');
    expect(await call('read_file', { file_path: 'a.txt' })).toContain('TWO\nTHREE'.replace('\n', '\n'));
    expect(await shell('cat made/new.txt')).toContain('needle');
    const found = await call('grep_search', { pattern: 'needle' });
    expect(found).toContain('made/new.txt');
    expect(found).toContain('deep/c');
    expect(found).not.toContain('ignored');
    expect(await call('glob', { pattern: '**/*' })).not.toContain('src/b.ts');
    expect(await call('list_directory', { path: '.' })).toContain('made');
    await expect(call('read_file', { file_path: 'src/b.ts' })).rejects.toThrow('does not exist');
    expect(asked).toEqual([]);
    expect(describeTree(temp.directory)).toEqual(before);
  });

  it('keeps what was reviewed as one change set, which one undo takes back', async () => {
    const before = describeTree(temp.directory);
    await open();
    await call('edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' });
    await shell('rm src/b.ts; echo new > c.txt');
    const { review } = await toolbox.apart.review(signal);
    expect(review.summary).toBe('1 file deleted, 1 file changed, 1 file created');
    const { changeSet } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
    expect(readFileSync(join(temp.directory, 'a.txt'), 'utf8')).toBe('one\nTWO\nthree\n');
    expect(existsSync(join(temp.directory, 'src/b.ts'))).toBe(false);
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
    const past = await pastChanges(toolbox.state, temp.directory, signal);
    expect(past.map(({ apart, by }) => apart ?? by)).toEqual([
      toolbox.apart.id,
      toolbox.apart.id,
      `apart ${toolbox.apart.id}`,
    ]);
    const plan = await toolbox.planUndo(past.at(-1)!, signal);
    if (plan.kind !== 'ready') throw new Error(plan.kind);
    await toolbox.undo(plan.planned, changeSet!.id, signal);
    expect(describeTree(temp.directory)).toEqual(before);
  });

  it('does not let kept work wait again once it is undone; undoing the undo brings it back', async () => {
    await open();
    await shell('echo TWO > a.txt; echo waits > c.txt');
    const { review } = await toolbox.apart.review(signal);
    const choice = new Map([[join(temp.directory, 'a.txt'), 'whole' as const]]);
    await toolbox.apart.keep({ digest: review.digest, choice }, signal);
    const takeBack = async (): Promise<void> => {
      const [latest] = (await pastChanges(toolbox.state, temp.directory, signal)).slice(-1);
      const plan = await toolbox.planUndo(latest!, signal);
      if (plan.kind !== 'ready') throw new Error(plan.kind);
      await toolbox.undo(plan.planned, latest!.changeSet.id, signal);
    };
    await takeBack();
    expect(readFileSync(join(temp.directory, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect((await toolbox.apart.review(signal)).review.items.map(({ path }) => path)).toEqual([
      join(temp.directory, 'c.txt'),
    ]);
    await takeBack();
    expect(readFileSync(join(temp.directory, 'a.txt'), 'utf8')).toBe('TWO\n');
  });

  it('undoes a single call inside the view', async () => {
    await open();
    await call('edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' });
    await shell('echo new > c.txt');
    const [first] = await pastChanges(toolbox.state, temp.directory, signal);
    const plan = await toolbox.planUndo(first!, signal);
    if (plan.kind !== 'ready') throw new Error(plan.kind);
    await toolbox.undo(plan.planned, first!.changeSet.id, signal);
    expect((await toolbox.apart.review(signal)).review.items.map(({ path }) => path)).toEqual([
      join(temp.directory, 'c.txt'),
    ]);
  });

  it('runs jobs in the view, whose changes are reviewed like others; keeping waits for their end', async () => {
    await open();
    const started = await shell('echo by a job > job.txt; sed -i s/one/ONE/ a.txt; sleep 60', {
      is_background: true,
    });
    expect(started).toContain('job-1');
    await expect.poll(() => call('read_file', { file_path: 'a.txt' })).toContain('ONE');
    await call('edit', { file_path: 'src/b.ts', old_string: '1', new_string: '2' });
    const { review } = await toolbox.apart.review(signal);
    expect(review.summary).toBe('2 files changed, 1 file created');
    const whole = { digest: review.digest, choice: 'all' as const };
    await expect(toolbox.apart.keep(whole, signal)).rejects.toThrow('A job still runs: job-1');
    await toolbox.commands.shell.jobs.stop('job-1');
    await toolbox.apart.keep(whole, signal);
    expect(readFileSync(join(temp.directory, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
    expect(asked).toEqual([]);
  });

  it('asks about what it asks about elsewhere: protected paths, network, places outside', async () => {
    await open();
    await call('write_file', { file_path: '.git/hooks/pre-commit', content: '#!/bin/sh\n' });
    await shell('true', { network: true });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('a protected path is always asked about');
    await call('write_file', { file_path: 'plain.txt', content: 'x\n' });
    // The answer to the question does not count for who keeps without a look at the review.
    expect(refusedUnseenOfWork(await toolbox.apart.review(signal), 'all', toolbox)).toEqual(
      ['hooks/pre-commit', '', 'hooks'].map((name) => ({
        path: join(temp.directory, '.git', name),
        why: 'protected: git runs hooks and programs named in its folder',
      })),
    );
  });

  it('changes nothing in plan mode', async () => {
    await open({ approvalMode: 'plan' });
    await expect(call('write_file', { file_path: 'x', content: '' })).rejects.toThrow('plan mode');
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
  });

  it('shows what others do to the workspace, and merges it', async () => {
    await open();
    expect(await shell('cat a.txt')).toContain('two');
    await call('edit', { file_path: 'src/b.ts', old_string: '1', new_string: '2' });
    execFileSync('sed', ['-i', 's/two/others/', 'a.txt'], { cwd: temp.directory });
    execFileSync('sed', ['-i', '$ a // others', 'src/b.ts'], { cwd: temp.directory });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await call('read_file', { file_path: 'a.txt' })).toContain('others');
    const { review } = await toolbox.apart.review(signal);
    const { conflicts } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
    expect(conflicts).toHaveLength(1);
    expect(readFileSync(join(temp.directory, 'src/b.ts'), 'utf8')).toBe('const b = 1;\n// others\n');
  });

  it('goes on after a restart where it was', async () => {
    await open();
    await call('write_file', { file_path: 'c.txt', content: 'kept apart\n' });
    const id = toolbox.apart.id!;
    await toolbox.close();
    await open({ apart: id });
    expect(await shell('cat c.txt')).toContain('kept apart');
    expect(existsSync(join(temp.directory, 'c.txt'))).toBe(false);
    await toolbox.apart.drop('all', signal);
    await expect(call('read_file', { file_path: 'c.txt' })).rejects.toThrow('does not exist');
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
  });

  it('drops single files and goes on with the others', async () => {
    await open();
    await shell('echo x >> a.txt; echo y > y; rm src/b.ts');
    await toolbox.apart.drop([join(temp.directory, 'a.txt'), join(temp.directory, 'src/b.ts')], signal);
    expect(await call('read_file', { file_path: 'a.txt' })).toContain('three');
    expect((await toolbox.apart.review(signal)).review.items.map(({ path }) => path)).toEqual([
      join(temp.directory, 'y'),
    ]);
  });

  it('follows links that were made in the view when it judges, so none leads to what is asked about', async () => {
    writeFileSync(join(temp.directory, 'denied.txt'), 'denied\n');
    await open({ rules: [{ verdict: 'deny', text: 'Read(denied.txt)', source: 'test' }] });
    await shell('mkdir inner; ln -s ../denied.txt inner/link; ln -s /etc outside-link');
    expect(asked).toEqual([
      expect.stringContaining('a link that leaves the workspace is always asked about'),
    ]);
    await expect(call('read_file', { file_path: 'inner/link' })).rejects.toThrow('denied');
    await expect(shell('cat inner/link')).rejects.toThrow('Read(denied.txt)');
    await expect(call('list_directory', { path: 'outside-link' })).rejects.toThrow('outside');
  });

  it('runs servers in the view, ends those that ran before, and notes what they change', async () => {
    writeFileSync(join(temp.directory, 'server.mjs'), SERVER);
    const config = parseServer(
      'notes',
      { command: process.execPath, args: ['server.mjs'], sandbox: 'write' },
      'test',
    );
    await open({ apart: false, trusted: true, mcp: { servers: [{ config, place: '' }] } });
    await toolbox.mcp!.awaitAll(signal);
    expect(await call('notes__append', { text: 'first' })).toContain('1 line');
    await toolbox.apart.begin({}, signal);
    expect(await call('notes__append', { text: 'second' })).toContain('2 lines');
    expect(readFileSync(join(temp.directory, 'notes.txt'), 'utf8')).toBe('first\n');
    expect(await shell('cat notes.txt')).toContain('second');
    const { review } = await toolbox.apart.review(signal);
    expect(review.items.map(({ path, added }) => [path, added])).toEqual([
      [join(temp.directory, 'notes.txt'), 1],
    ]);
    await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
    expect(readFileSync(join(temp.directory, 'notes.txt'), 'utf8')).toBe('first\nsecond\n');
    expect(asked.filter((question) => !question.startsWith('notes__append'))).toEqual([]);
  });

  it('asks about tools of the program, which work in the workspace itself, and says so', async () => {
    const tool = defineTool({
      apiVersion: 1,
      name: 'stamp',
      description: 'Writes a stamp.',
      parameters: { type: 'object', properties: {} },
      effects: () => [{ kind: 'write', path: join(temp.directory, 'stamp') }],
      run: () => {
        writeFileSync(join(temp.directory, 'stamp'), 'stamp\n');
        return 'stamped';
      },
    });
    await open({ tools: [tool] });
    expect(await call('stamp', {})).toBe('stamped');
    expect(asked).toEqual([
      'stamp: default mode asks before writing stamp; this tool works in the workspace itself, not apart',
    ]);
  });

  it.each([true, false])(
    'runs hooks in the view, with the rights of the user and confined (own: %s)',
    async (isOwn) => {
      const path = join(temp.outside, 'hooks.json');
      const hook = { type: 'command', command: 'cat a.txt > "$(pwd)/by-hook.txt"' };
      writeFileSync(path, JSON.stringify({ hooks: { PostToolUse: [{ matcher: 'Edit', hooks: [hook] }] } }));
      await open({
        pieces: { hooks: [{ path, shown: 'hooks.json', format: 'claude', isOwn }], say: () => undefined },
      });
      await call('edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' });
      expect(existsSync(join(temp.directory, 'by-hook.txt'))).toBe(false);
      expect(await call('read_file', { file_path: 'by-hook.txt' })).toContain('TWO');
      expect((await toolbox.apart.review(signal)).review.summary).toBe('1 file changed, 1 file created');
    },
  );

  it('begins in the middle of a session, and takes what was planned before along', async () => {
    await open({ apart: false });
    await call('write_file', { file_path: 'before.txt', content: 'in the workspace\n' });
    await toolbox.apart.begin({ prompt: 'try something' }, signal);
    writeFileSync(join(temp.directory, 'real.txt'), 'real\n');
    await call('write_file', { file_path: 'after.txt', content: 'in the view\n' });
    expect([
      existsSync(join(temp.directory, 'before.txt')),
      existsSync(join(temp.directory, 'after.txt')),
    ]).toEqual([true, false]);
    await expect(toolbox.apart.begin({}, signal)).rejects.toThrow('already works apart');
  });
});
