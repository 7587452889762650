import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Agent, createAgent } from './create-agent.js';
import type { ModelEvent, ModelRequest } from './model/model.js';
import type { CreateAgentOptions } from './options/agent-options.js';
import { todoIn } from './tools/task/todo.js';

let temp: TempWorkspace;
let agent: Agent;
let requests: ModelRequest[];

beforeEach(() => {
  temp = createTempWorkspace({ content: {} });
  requests = [];
});
afterEach(async () => {
  await agent.close();
  await temp.cleanup();
});

type Answer = string | [string, Record<string, unknown>][];

/** A model that gives these answers one after the other, and then `done`. */
async function* answered(answer: Answer, id: number): AsyncGenerator<ModelEvent> {
  if (typeof answer === 'string') {
    yield { type: 'text-delta', text: answer };
    yield { type: 'finish', reason: 'stop', parts: [{ text: answer }] };
    return;
  }
  const calls = answer.map(([name, args], index) => ({ id: `c${id}-${index}`, name, arguments: args }));
  for (const call of calls) yield { type: 'call', call };
  const parts = calls.map(({ id: called, name, arguments: args }) => ({
    functionCall: { id: called, name, args },
  }));
  yield { type: 'finish', reason: 'calls', parts };
}

async function open(answers: Answer[], more: Partial<CreateAgentOptions> = {}): Promise<void> {
  requests = [];
  agent = await createAgent({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    model: {
      provider: 'scripted',
      model: 'scripted',
      stream(request) {
        requests.push(request);
        return answered(answers.shift() ?? 'done', requests.length);
      },
    },
    ...more,
  });
}

/** Closes the conversation and goes on with it, as another program does. */
async function openAgain(answers: Answer[], more: Partial<CreateAgentOptions> = {}): Promise<void> {
  const { id } = agent.session;
  await agent.close();
  await open(answers, { resume: id, ...more });
}

const offered = (name: string): boolean[] =>
  requests.map(({ tools }) => tools.some((tool) => tool.name === name));

const items = [
  { text: 'read', state: 'done' as const },
  { text: 'write', state: 'active' as const },
];

it('a conversation that goes on has the tools that it used before, also where the new prompt asks for none', async () => {
  await open([[['todo', { items }]], [['agent', {}]]]);
  await agent.prompt('Keep a to-do list and use an agent');
  await openAgain([[['todo', { items }]]]);
  const { denials } = await agent.prompt('Go on');
  expect([...offered('todo'), ...offered('agent')]).toEqual([true, true, true, true]);
  expect(denials).toEqual([]);
});

it('a run that was parked goes on with the tools that it had', async () => {
  const write: Answer = [['write_file', { file_path: join(temp.directory, 'a.txt'), content: 'a' }]];
  await open([[['todo', { items }]], [['agent', {}]], write], { confirm: async () => ({ kind: 'park' }) });
  expect(await agent.prompt('Keep a to-do list and use an agent')).toMatchObject({ reason: 'parked' });
  await openAgain([], { confirm: async () => ({ kind: 'once' }) });
  expect(await agent.goOn(new AbortController().signal)).toMatchObject({ reason: 'done' });
  expect([...offered('todo'), ...offered('agent')]).toEqual([true, true]);
});

it('the list of what is to be done outlives a summary, and a session after it', async () => {
  await open([[['todo', { items }]], 'done', 'They read; now they write.', 'done', 'More was said.']);
  await agent.prompt('Keep a to-do list');
  expect(await agent.compact('', new AbortController().signal)).toBe(true);
  expect(todoIn(agent.messages)).toEqual(items);
  expect(JSON.stringify(agent.messages)).toContain('[>] write');
  await agent.prompt('Go on');
  expect(await agent.compact('', new AbortController().signal)).toBe(true);
  expect(todoIn(agent.messages)).toEqual(items);
  await openAgain([]);
  expect(todoIn(agent.messages)).toEqual(items);
  await agent.prompt('Go on');
  expect(offered('todo')).toEqual([true]);
});

it('a second summary keeps the task as the user put it, and not the first summary in its place', async () => {
  await open(['Yes.', 'They want blue.', 'Yes.', 'They want blue, and said so twice.']);
  await agent.prompt('Paint it blue');
  expect(await agent.compact('', new AbortController().signal)).toBe(true);
  await agent.prompt('Go on');
  expect(await agent.compact('', new AbortController().signal)).toBe(true);
  const text = agent.messages[0]?.parts[0]?.text;
  expect(text).toBe(
    '[What the user asked for, word for word]\nPaint it blue\n\n[The conversation so far, summarised]\nThey want blue, and said so twice.\n[End of the summary; continue from here.]',
  );
});
