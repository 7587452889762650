import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf, toParts } from '@toolwright/machine/base/content.js';
import { canStage, leftoversOf } from '@toolwright/machine/changes/staged-run/fixtures/temp-staged.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { parseServer } from '@toolwright/mcp/contract/server-config.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../../create-toolbox.js';
import type { ToolboxOptions } from '../../options/toolbox-options.js';
import type { ConfirmRequest, Outcome } from '../../scheduler/call.js';
import { readJournal } from '../../session/journal.js';
import { pastChanges } from '../../session/past-changes.js';
import { journalsOf } from '../../session/saved-sessions.js';
import { scriptThreadFromSource } from './fixtures/script-thread-from-source.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: changes of scripts gather on plain copies');

const { signal } = new AbortController();
let temp: TempWorkspace;
let toolbox: Toolbox;
let asked: ConfirmRequest[];
let outcome: Outcome;

/** Offers one tool, which changes something for all that is known of it. */
const SERVER = `
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'say', description: 'Says something.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'said' }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const error = { code: -32601, message: 'no such method' };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answers[method] ? { result: answers[method](params) } : { error }) }));
});`;

const files = Object.fromEntries(
  Array.from({ length: 6 }, (_, index) => [
    `src/file${index}.ts`,
    `export const value = ${index};\nold();\n`,
  ]),
);

beforeEach(() => {
  asked = [];
  outcome = { kind: 'once' };
  temp = createTempWorkspace({ content: { ...files, 'notes.md': '# Notes\n', '.gitignore': 'ignored\n' } });
});
afterEach(async () => {
  await toolbox.close();
  const left = leftoversOf(temp.directory, join(temp.outside, 'state'));
  expect(left).toEqual({ mounts: 0, folders: 0, processes: 0 });
  await temp.cleanup();
});

async function open(more: Partial<ToolboxOptions> = {}): Promise<Toolbox> {
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    forModel: true,
    script: { enabled: true, thread: scriptThreadFromSource },
    async confirm(request) {
      asked.push(request);
      return outcome;
    },
    ...more,
  });
  return toolbox;
}

async function run(code: string, inner: AbortSignal = signal): Promise<string> {
  const call = { id: '1', name: 'script', arguments: { code } };
  const [settled] = await toolbox.scheduler.run([call], inner);
  return textOf(toParts(settled?.llmContent ?? ''), '\n');
}

const read = (name: string): string => readFileSync(join(temp.directory, name), 'utf8');

const editAll = `
const paths = await tools.glob({ pattern: 'src/*.ts' });
await Promise.all(paths.map(async (path) => {
  await tools.read_file({ absolute_path: path });
  await tools.edit({ file_path: path, old_string: 'old()', new_string: 'fresh()' });
}));
return paths.length;`;

describe('a script', () => {
  it('changes many files with one question, one change set and one undo', async () => {
    await open();
    expect(await run(editAll)).toBe('6\n[13 calls]\n[6 files changed, kept as one change]');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ tool: 'script', details: { kind: 'edit' } });
    expect(asked[0]!.details).toHaveProperty('diff.files.length', 6);
    expect(read('src/file3.ts')).toBe('export const value = 3;\nfresh();\n');
    const past = await pastChanges(toolbox.state, temp.directory);
    expect(past).toHaveLength(1);
    expect(past[0]).toMatchObject({ call: { tool: 'script' } });
    const plan = await toolbox.planUndo(past[0]!, signal);
    if (plan.kind !== 'ready') throw new Error(plan.kind);
    await toolbox.undo(plan.planned, past[0]!.changeSet.id, signal);
    for (const [name, text] of Object.entries(files)) expect(read(name)).toBe(text);
  });

  it('leaves the workspace as it was when the user says no, and the model learns of it', async () => {
    await open();
    outcome = { kind: 'cancel', reason: 'not these' };
    expect(await run(editAll)).toContain('The user refused this call: not these');
    expect(read('src/file3.ts')).toBe(files['src/file3.ts']);
  });

  it('changes nothing when it throws, and asks nothing', async () => {
    await open();
    const said = await run(
      `await tools.write_file({ file_path: 'new.txt', content: 'x' }); print('so far'); null.x`,
    );
    expect(said).toMatch(
      /^The script threw TypeError: .*\n.*script\.js:1.*\nIt had printed:\nso far\n\[1 call; nothing was changed\]$/s,
    );
    expect(() => read('new.txt')).toThrow('ENOENT');
    expect(asked).toEqual([]);
  });

  it('sees its own changes, by files, by searches and by commands', async () => {
    await open();
    const code = `
await tools.write_file({ file_path: 'made.txt', content: 'needle\\n' });
const found = await tools.grep_search({ pattern: 'needle' });
const { output, exit_code } = await tools.run_shell_command({ command: 'cat made.txt && rm notes.md && echo more >> made.txt' });
const names = await tools.list_directory({ path: '.' });
return [found, output, exit_code, names, await tools.read_file({ absolute_path: 'made.txt' })];`;
    const [first] = (await run(code)).split('\n');
    expect(JSON.parse(first!)).toEqual([
      [{ path: 'made.txt', line: 1, text: 'needle' }],
      'needle\n',
      0,
      ['src/', '.gitignore', 'made.txt'],
      'needle\nmore\n',
    ]);
    expect(asked).toHaveLength(1);
    expect(read('made.txt')).toBe('needle\nmore\n');
  });

  it('asks nothing and makes no view when it only looks', async () => {
    await open({ approvalMode: 'plan' });
    const code = `const files = await tools.glob({ pattern: '**/*.ts' });
const texts = await Promise.all(files.map((path) => tools.read_file({ absolute_path: path })));
return texts.reduce((sum, text) => sum + text.length, 0);`;
    const length = Object.values(files).reduce((sum, text) => sum + text.length, 0);
    expect(await run(code)).toBe(`${length}\n[7 calls]`);
    expect(asked).toEqual([]);
  });

  it('changes nothing in plan mode', async () => {
    await open({ approvalMode: 'plan' });
    expect(await run("await tools.write_file({ file_path: 'a', content: 'b' })")).toContain(
      'The script threw ToolError: Denied: plan mode',
    );
  });

  it('is held by rules that deny', async () => {
    await open({
      approvalMode: 'yolo',
      rules: [
        { verdict: 'deny', text: 'Read(notes.md)', source: 'the test' },
        { verdict: 'deny', text: 'Edit(src/**)', source: 'the test' },
      ],
    });
    const code = `const said = [];
for (const [name, params] of [['read_file', { absolute_path: 'notes.md' }], ['write_file', { file_path: 'src/x.ts', content: '' }], ['run_shell_command', { command: 'echo 1 > src/y.ts' }]])
  await tools[name](params).then((value) => said.push(JSON.stringify(value)), (error) => said.push(error.code));
return said;`;
    expect(await run(code)).toMatch(/^\["denied","denied",/);
    expect(() => read('src/y.ts')).toThrow('ENOENT');
  });

  it('is asked about once by a rule that asks about files, and at its place for the network and protected files', async () => {
    await open({
      approvalMode: 'auto-edit',
      rules: [{ verdict: 'ask', text: 'Edit(src/**)', source: 'the test' }],
    });
    await run(editAll);
    expect(asked.map(({ tool }) => tool)).toEqual(['script']);
    await run(
      "await tools.web_fetch({ url: 'https://example.org/', prompt: 'x' }).catch(() => 0); await tools.write_file({ file_path: '.envrc', content: 'x' })",
    );
    expect(asked.map(({ tool }) => tool)).toEqual(['script', 'web_fetch', 'write_file', 'script']);
  });

  it('is asked about at the place of each call of an MCP server', async () => {
    const config = parseServer('notes', { command: process.execPath, args: ['-e', SERVER] }, 'test');
    await open({ approvalMode: 'auto-edit', trusted: true, mcp: { servers: [{ config, place: '' }] } });
    await toolbox.mcp!.awaitAll(signal);
    const code = "await tools.write_file({ file_path: 'a', content: 'b' }); return tools.notes__say({});";
    expect(await run(code)).toContain('said');
    expect(asked.map(({ tool }) => tool)).toEqual(['notes__say']);
    outcome = { kind: 'cancel' };
    expect(await run('return tools.notes__say({}).catch(({ code }) => code);')).toMatch(/^denied/);
  });

  it('waits behind tool_search where the workspace has skills', async () => {
    mkdirSync(join(temp.outside, 'skills/one'), { recursive: true });
    writeFileSync(join(temp.outside, 'skills/one/SKILL.md'), '---\ndescription: Counts.\n---\nCount.');
    await open({ pieces: { skills: [{ path: join(temp.outside, 'skills'), shown: 'skills' }] } });
    const offered = (): string[] => toolbox.registry.getFunctionDeclarations().map(({ name }) => name ?? '');
    expect(offered()).not.toContain('script');
    const call = { id: '1', name: 'tool_search', arguments: { query: 'script' } };
    const [found] = await toolbox.scheduler.run([call], signal);
    expect(textOf(toParts(found?.llmContent ?? ''), '\n')).toContain('script');
    expect(offered()).toContain('script');
    expect(await run('return 1 + 1')).toBe('2');
  });

  it('is held by hooks, which are asked about each of its calls', async () => {
    const path = join(temp.outside, 'hooks.json');
    const command = 'echo "not this file" >&2; exit 2';
    const hooks = { PreToolUse: [{ matcher: 'write_file', hooks: [{ type: 'command', command }] }] };
    mkdirSync(temp.outside, { recursive: true });
    writeFileSync(path, JSON.stringify({ hooks }));
    const file = { path, shown: 'hooks.json', format: 'claude' as const, isOwn: true };
    await open({ approvalMode: 'yolo', pieces: { hooks: [file] } });
    const said = await run("await tools.write_file({ file_path: 'a', content: 'b' })");
    expect(said).toContain('The script threw ToolError');
    expect(said).toContain('not this file');
    expect(() => read('a')).toThrow('ENOENT');
  });

  it('is journalled with its calls, which name it', async () => {
    await open();
    await run("await tools.read_file({ absolute_path: 'notes.md' })");
    const [path] = await journalsOf(toolbox.state, temp.directory);
    const calls = new Map<string, string>();
    for await (const entry of readJournal(path!))
      if (entry.type === 'call-start') calls.set(entry.tool, `${entry.callId} of ${entry.parent}`);
    const script = calls.get('script')!.split(' ')[0];
    expect(calls.get('read_file')).toMatch(new RegExp(` of ${script}$`));
  });

  it('can not call itself, subagents and jobs, nor start what would outlive it', async () => {
    await open();
    const code = `const said = [];
for (const [name, params] of [['script', { code: '1' }], ['jobs', {}], ['run_shell_command', { command: 'sleep 9', is_background: true }], ['no_such', {}], ['read_file', {}]])
  await tools[name](params).catch((error) => said.push(error.code));
return said`;
    expect(await run(code)).toMatch(/^\["denied","denied","denied","unknown_tool","invalid_params"\]/);
  });

  it('keeps nothing when somebody else changed the same meanwhile', async () => {
    await open({
      async confirm() {
        writeFileSync(join(temp.directory, 'src/file3.ts'), 'theirs\n');
        return { kind: 'once' };
      },
    });
    expect(await run(editAll)).toMatch(/Nothing of what it changed was kept: .*src\/file3\.ts/);
    expect(read('src/file3.ts')).toBe('theirs\n');
    expect(read('src/file4.ts')).toBe(files['src/file4.ts']);
  });

  it('ends at once when it is cancelled, and leaves nothing', async () => {
    await open();
    const controller = new AbortController();
    const code =
      "await tools.write_file({ file_path: 'a', content: 'b' }); await tools.run_shell_command({ command: 'sleep 60' })";
    const running = run(code, controller.signal);
    const began = toolbox.session;
    setTimeout(() => controller.abort({ kind: 'user' }), 1_500);
    expect(await running).toContain('cancelled');
    expect(began.id).toBe(toolbox.session.id);
    expect(() => read('a')).toThrow('ENOENT');
  });

  it('in a session apart changes count when it ended well, and are taken back when it throws, one by one', async () => {
    await open({ apart: true, approvalMode: 'yolo' });
    const change = `await tools.read_file({ absolute_path: 'notes.md' });
await tools.edit({ file_path: 'notes.md', old_string: 'Notes', new_string: 'News' });
await tools.edit({ file_path: 'notes.md', old_string: 'News', new_string: 'Latest news' });
await tools.write_file({ file_path: 'made/new.txt', content: 'x' });
await tools.run_shell_command({ command: 'rm src/file1.ts; echo more > src/file2.ts' });`;
    const waiting = async () =>
      (await toolbox.apart.review(signal)).review.items
        .map(({ path }) => path.slice(temp.directory.length + 1))
        .toSorted();
    expect(await run(`${change} throw new Error('enough')`)).toContain('nothing was changed');
    expect(await waiting()).toEqual([]);
    const past = await pastChanges(toolbox.state, temp.directory);
    expect(past.filter(({ undoes, undoneBy }) => !undoes && !undoneBy)).toEqual([]);
    await run(`${change} return 1`);
    expect(await waiting()).toEqual(['made', 'made/new.txt', 'notes.md', 'src/file1.ts', 'src/file2.ts']);
    expect(asked).toEqual([]);
    expect(read('notes.md')).toBe('# Notes\n');
  });

  it('in a session apart leaves nothing when it is cancelled', async () => {
    await open({ apart: true, approvalMode: 'yolo' });
    const controller = new AbortController();
    const code = `await tools.write_file({ file_path: 'a', content: 'b' }); print('wri' + 'tten');
for (;;) await tools.glob({ pattern: '*' });`;
    const call = { id: '1', name: 'script', arguments: { code } };
    const [settled] = await toolbox.scheduler.run([call], controller.signal, {
      emit: (event) => void (JSON.stringify(event).includes('written') && controller.abort({ kind: 'user' })),
    });
    expect(settled?.error?.code).toBe('cancelled');
    expect(await pastChanges(toolbox.state, temp.directory)).toHaveLength(2);
    expect((await toolbox.apart.review(signal)).review.items).toEqual([]);
  });
});
