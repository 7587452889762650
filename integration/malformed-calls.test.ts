import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolbox, type RawCall, type ToolboxOptions, toolErrorCodes } from '@toolwright/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MalformedCall, malformedCalls } from './malformed/calls.js';
import { treeDigest } from './malformed/tree-digest.js';
import { createMachine, type Machine } from './program.js';

const calls = malformedCalls();
const never = new AbortController().signal;
let machine: Machine;

beforeEach(() => {
  machine = createMachine({
    'a.txt': 'a needle\n',
    'b.txt': 'b\n',
    'dir/c.txt': 'c\n',
    '.gitignore': 'out\n',
  });
});
afterEach(() => machine.cleanup());

/** As much allowed as can be: whatever is refused is refused for its own sake. */
function open(options: Partial<ToolboxOptions> = {}) {
  return createToolbox({
    workspace: machine.workspace,
    stateFolder: machine.state,
    approvalMode: 'yolo',
    confirm: async () => ({ kind: 'once' }),
    ...options,
  });
}

interface Answered {
  call: MalformedCall;
  error: { code?: unknown; message?: unknown } | undefined;
}

/** Crashes as a user sees them: no answer, an answer that is none, or one about our own mistake. */
function isCrash({ error }: Answered): boolean {
  const isAnswer = toolErrorCodes.some((code) => code === error?.code) && typeof error?.message === 'string';
  return !isAnswer || /internal error/i.test(String(error.message));
}

function report(way: string, answered: Answered[], sideEffects: number): void {
  const crashed = answered.filter(isCrash);
  console.log(
    `evidence: malformed calls ${answered.length}, crashes ${crashed.length}, side effects ${sideEffects} (${way})`,
  );
  const named = crashed.map(({ call, error }) => [call.tool.slice(0, 40), call.mistake, error]);
  expect(named).toEqual([]);
  expect(answered).toHaveLength(calls.length);
  expect(sideEffects).toBe(0);
}

function logged(): string[] {
  const log = join(machine.state, 'log/debug.log');
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
}

it('there are enough of them, over the seven file tools', () => {
  expect(calls.length).toBeGreaterThanOrEqual(300);
  const tools = 'list_directory read_file write_file grep_search glob edit read_many_files'.split(' ');
  for (const name of tools) expect(calls.filter(({ tool }) => tool === name).length).toBeGreaterThan(30);
});

it('the program answers every malformed line of a batch with an error and changes nothing', async () => {
  const before = treeDigest(machine.workspace);
  const input = calls.map(({ tool, json }) => `{"name":${JSON.stringify(tool)},"args":${json}}`).join('\n');
  const { stdout, stderr, code } = await machine.run(['tools', 'run', '--batch', '-y'], { input });
  const lines = stdout.trimEnd().split('\n');
  const answered = lines.map((line, index) => ({ call: calls[index]!, error: JSON.parse(line).error }));
  report('tools run --batch', answered, Number(treeDigest(machine.workspace) !== before));
  expect([stderr, code]).toEqual(['', 1]);
  expect(logged()).toEqual([]);
});

it('a toolbox refuses them one by one, and none of them leaves a trace', async () => {
  const toolbox = await open();
  const before = treeDigest(machine.workspace);
  const answered: Answered[] = [];
  let sideEffects = 0;
  for (const call of calls) {
    const raw: RawCall = { id: 'c', name: call.tool, arguments: JSON.parse(call.json) };
    const settled = await toolbox.scheduler.run([raw], never);
    expect(settled.map(({ response }) => response.id)).toEqual(['c']);
    answered.push({ call, error: settled[0]?.error });
    if (treeDigest(machine.workspace) !== before) sideEffects += 1;
  }
  await toolbox.close();
  report('createToolbox', answered, sideEffects);
  expect(logged()).toEqual([]);
});

it('sent all at once and as text, as from a model, they are answered in their order', async () => {
  const toolbox = await open({ forModel: true });
  const before = treeDigest(machine.workspace);
  const raw = calls.map(
    ({ tool, json }, index): RawCall => ({ id: `c${index}`, name: tool, arguments: json }),
  );
  const settled = await toolbox.scheduler.run(raw, never);
  await toolbox.close();
  expect(settled.map(({ response }) => response.id)).toEqual(raw.map(({ id }) => id));
  const answered = settled.map(({ error }, index) => ({ call: calls[index]!, error }));
  report('one batch of a model', answered, Number(treeDigest(machine.workspace) !== before));
  expect(logged()).toEqual([]);
});

it.each<[string, Partial<ToolboxOptions>]>([
  ['in plan mode', { approvalMode: 'plan' }],
  ['by a rule', { rules: [{ verdict: 'deny', text: 'Edit(**)', source: 'here' }] }],
  ['by the user', { approvalMode: 'default', confirm: async () => ({ kind: 'cancel' }) }],
  ['because nobody is there', { approvalMode: 'default', confirm: undefined }],
  ['for lack of reading before', { forModel: true }],
])('good calls refused %s leave nothing behind either', async (_how, options) => {
  const toolbox = await open(options);
  const before = treeDigest(machine.workspace);
  const isPrior = options.forModel === true;
  const good: [string, Record<string, unknown>][] = [
    ['write_file', { file_path: 'a.txt', content: 'changed\n' }],
    ['edit', { file_path: 'b.txt', old_string: 'b', new_string: 'c', replace_all: true }],
  ];
  if (!isPrior) good.push(['write_file', { file_path: 'new/folder/x.txt', content: 'x' }]);
  const settled = await toolbox.scheduler.run(
    good.map(([name, args]) => ({ id: '', name, arguments: args })),
    never,
  );
  await toolbox.close();
  expect(settled.map(({ error }) => error?.code)).toEqual(good.map(() => (isPrior ? 'conflict' : 'denied')));
  expect(treeDigest(machine.workspace)).toBe(before);
});
