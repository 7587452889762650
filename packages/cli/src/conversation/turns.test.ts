import {
  type Agent,
  type ConfirmationDetails,
  createAgent,
  type ModelClient,
  type ModelRequest,
  type Outcome,
  type PieceOptions,
  type Tool,
  textOf,
} from '@toolwright/core';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseCommandLine } from '../command-line/args.js';
import type { Setup } from '../setup/runtime.js';
import { createFront, type Front } from '../ui/front.js';
import { createLineDrawing } from '../ui/line-drawing.js';
import { createTurns, type Turns } from './turns.js';

/** A shell in name only: it asks about every command and prints it back. */
const shell: Tool<{ command: string }> = {
  name: 'run_shell_command',
  displayName: 'Shell',
  description: 'Runs a command.',
  parameterSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  validateToolParams: () => null,
  getDescription: ({ command }) => `Run ${command}`,
  effects: ({ command }) => [
    {
      kind: 'execute',
      command,
      directory: '/',
      readOnly: false,
      network: false,
      background: false,
      commands: null,
    },
  ],
  shouldConfirmExecute: async ({ command }): Promise<ConfirmationDetails> => ({
    kind: 'exec',
    title: '',
    command,
    directory: '/',
    effects: (await shell.effects?.({ command })) ?? [],
  }),
  execute: async ({ command }) => ({
    llmContent: `output of ${command}`,
    returnDisplay: `printed ${command}`,
  }),
};

let machine: TempWorkspace;
let agent: Agent;
let front: Front;
let turns: Turns;
let output: string;
let requests: ModelRequest[];
let answers: ((request: ModelRequest) => { command: string } | string)[];
let confirm: ReturnType<typeof vi.fn<() => Promise<Outcome>>>;
let kept: string[];
const quit = vi.fn();

const model: ModelClient = {
  provider: 'test',
  model: 'test',
  async *stream(request) {
    requests.push(structuredClone(request));
    const answer = answers.shift()?.(request) ?? 'Done.';
    if (typeof answer === 'string') {
      yield { type: 'text-delta', text: answer };
      yield { type: 'finish', reason: 'stop', parts: [{ text: answer }] };
      return;
    }
    const call = { id: '1', name: 'run_shell_command', arguments: answer };
    yield { type: 'call', call };
    yield {
      type: 'finish',
      reason: 'calls',
      parts: [{ functionCall: { id: '1', name: call.name, args: answer } }],
    };
  },
};

beforeEach(() => begin());

async function begin(pieces?: PieceOptions): Promise<void> {
  machine = createTempWorkspace({ content: { 'a.txt': 'one\n' } });
  [output, requests, answers, kept] = ['', [], [], []];
  confirm = vi.fn(async () => ({ kind: 'cancel' as const, reason: 'no' }));
  quit.mockReset();
  const terminal = {
    write: (text: string) => void (output += text),
    screen: () => ({ columns: 80, rows: 40 }),
    start: () => undefined,
    stop: () => undefined,
    onKey: () => undefined,
    onReport: () => undefined,
    onResize: () => undefined,
    onEnd: () => undefined,
  };
  const appearance = { color: false, unicode: true, linear: true };
  front = createFront({ terminal, drawing: createLineDrawing({ ...terminal, appearance }) });
  agent = await createAgent({
    workspace: machine.directory,
    stateFolder: `${machine.outside}/state`,
    model,
    excludeTools: ['run_shell_command'],
    tools: [shell as unknown as Tool],
    onEvent: (event) => front.dispatch({ type: 'agent', event }),
    confirm,
    ...(pieces && { pieces }),
  });
  const history = { read: async () => null, add: async (text: string) => void kept.push(text) };
  const args = parseCommandLine([], []);
  turns = createTurns({
    agent,
    setup: {} as Setup,
    front,
    history,
    args: () => args,
    quit,
    reopen: () => undefined,
  });
  front.dispatch({ type: 'ready' });
}

afterEach(end);

async function end(): Promise<void> {
  await agent.close();
  await machine.cleanup();
}

async function submit(text: string): Promise<void> {
  front.dispatch({ type: 'prompt-submitted', text });
  turns.take(text);
  await expect.poll(() => front.state.phase).toBe('idle');
}

const lastPrompt = (): string =>
  textOf(requests.at(-1)?.messages.findLast(({ role }) => role === 'user')?.parts ?? []);

describe('a command of the user', () => {
  it('runs as a call, needs no consent, and reaches the model with the next prompt, once', async () => {
    await submit('!make all');
    expect(output).toMatch(/● Run make all\r\n {2}printed make all/);
    expect(confirm).not.toHaveBeenCalled();
    expect(requests).toEqual([]);
    await submit('what happened?');
    expect(lastPrompt()).toBe('what happened?\n\n[The user ran a command.\n$ make all\noutput of make all]');
    await submit('and now?');
    expect(lastPrompt()).toBe('and now?');
  });

  it('gives the model no consent for the same command', async () => {
    answers.push(() => ({ command: 'make all' }));
    await submit('!make all');
    await submit('build it');
    expect(confirm).toHaveBeenCalledTimes(1);
    expect(output).toMatch(/You said no: no/);
  });
});

it('a turn that is cancelled leaves the conversation ready for the next', async () => {
  answers.push(() => {
    turns.cancel();
    return 'too late';
  });
  await submit('long work');
  await submit('again');
  expect(front.state.blocks.map((block) => ('text' in block ? block.text : block.kind))).toContain('Done.');
  expect(front.state.phase).toBe('idle');
});

it('a message of the queue that a hook refuses is in the line again, and the others are sent', async () => {
  await end();
  const hook = `grep -q forbidden || exit 0; echo not that >&2; exit 2`;
  const hooks = createTempWorkspace({
    content: {
      'hooks.json': JSON.stringify({
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: hook }] }] },
      }),
    },
  });
  const path = `${hooks.directory}/hooks.json`;
  await begin({ hooks: [{ path, shown: 'hooks.json', format: 'claude', isOwn: true }] });
  answers.push(() => {
    for (const text of ['first', 'forbidden', 'third']) front.dispatch({ type: 'message-queued', text });
    front.dispatch({ type: 'queue-steered' });
    return { command: 'make all' };
  });
  await submit('begin');
  await hooks.cleanup();
  expect(lastPrompt()).toBe('firstthird');
  expect(front.state.blocks.flatMap((block) => (block.kind === 'prompt' ? [block.text] : []))).toEqual([
    'begin',
    'first',
    'third',
  ]);
  expect(front.state).toMatchObject({ input: { text: 'forbidden' }, working: { queue: [] } });
  expect(output).toMatch(/The prompt was not sent: the hook .* says no: not that/s);
});

it('a fault of ours ends the turn, not the conversation', async () => {
  answers.push(() => {
    throw new Error('broken model');
  });
  await submit('x');
  expect(output).toMatch(/broken model/);
  await submit('y');
  expect(output).toMatch(/Done\./);
});

it('/quit ends it, and everything typed is kept', async () => {
  front.dispatch({ type: 'prompt-submitted', text: '/quit' });
  turns.take('/quit');
  expect(quit).toHaveBeenCalledTimes(1);
  await turns.stop({ isEnd: true });
  expect(kept).toEqual(['/quit']);
});
