import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentEvent } from '../../agent/events.js';
import { openAgentIn, type Script, scriptedModel } from '../../agent/fixtures/scripted-agent.js';
import type { Agent } from '../../create-agent.js';
import type { ModelClient, ModelRequest } from '../../model/model.js';
import type { CreateAgentOptions } from '../../options/agent-options.js';
import { todoIn, todoText } from './todo.js';
import { needsAskUser, needsTodo } from './when-needed.js';

let temp: TempWorkspace;
let agent: Agent;
let events: AgentEvent[];
let requests: ModelRequest[];

beforeEach(() => {
  temp = createTempWorkspace({ content: {} });
  [events, requests] = [[], []];
});
afterEach(async () => {
  await agent.close();
  await temp.cleanup();
});

/** Calls a tool in its first answer, and says ok in all others. */
function callingOnce(name: string, args: Record<string, unknown>, model = 'scripted'): ModelClient {
  const script: Script = (_who, request) => {
    requests.push(request);
    return requests.length > 1 ? 'ok' : [{ name, arguments: args }];
  };
  return scriptedModel(script, { model });
}

async function open(model: ModelClient, more: Partial<CreateAgentOptions> = {}): Promise<void> {
  agent = await openAgentIn(temp, { model, onEvent: (event) => events.push(event), ...more });
}

const offered = (name: string): boolean[] =>
  requests.map(({ tools }) => tools.some((tool) => tool.name === name));
const said = (): string => JSON.stringify(requests.at(-1)?.messages);

it('a list is offered when a prompt has several things to do; its events and the conversation carry it', async () => {
  const items = [
    { text: 'read', state: 'done' },
    { text: 'write\u001b[2J', state: 'active' },
    { text: 'test', state: 'open' },
  ];
  await open(callingOnce('todo', { items }));
  await agent.prompt('1. read\n2. write\n3. test');
  expect(offered('todo')).toEqual([true, true]);
  expect(said()).toContain('1 of 3 items done. Now: write');
  expect(events.find(({ type }) => type === 'call-start')).toMatchObject({ tool: 'todo', args: { items } });
  expect(todoText(todoIn(agent.messages))).toBe('[x] read\n[>] write\u241b[2J\n[ ] test');
});

it('todo and ask_user are not in the first request of a plain prompt, and a known model has both at once', async () => {
  await open(callingOnce('todo', { items: [] }), { onAskUser: async () => ({ action: 'cancel' }) });
  await agent.prompt('hello');
  expect([...offered('todo'), ...offered('ask_user')]).not.toContain(true);
  await agent.close();
  requests = [];
  await open(callingOnce('todo', { items: [] }, 'maker/claude-x'), {
    onAskUser: async () => ({ action: 'cancel' }),
  });
  await agent.prompt('hello');
  expect([offered('todo')[0], offered('ask_user')[0]]).toEqual([true, true]);
});

it('the user chooses among the answers of a question, or writes another one', async () => {
  const forms: unknown[] = [];
  const answers = ['Something else', 'purple'];
  await open(callingOnce('ask_user', { question: 'Which colour?', choices: ['red', 'blue'] }), {
    async onAskUser(request) {
      forms.push(request);
      return { action: 'accept', content: { answer: answers.shift()! } };
    },
  });
  await agent.prompt('paint it; ask me for the colour');
  expect(said()).toContain('The user answers: purple');
  expect(forms).toEqual([
    {
      kind: 'form',
      server: '',
      message: 'Which colour?',
      schema: {
        type: 'object',
        properties: {
          answer: { type: 'string', title: 'Your answer', enum: ['red', 'blue', 'Something else'] },
        },
        required: ['answer'],
      },
    },
    expect.objectContaining({ schema: expect.objectContaining({ required: ['answer'] }) }),
  ]);
});

it('a question that the user does not answer is a refusal that the model can work with; with nobody there is no such tool', async () => {
  await open(callingOnce('ask_user', { question: 'Which?' }), {
    onAskUser: async () => ({ action: 'decline' }),
  });
  await agent.prompt('ask me');
  expect(said()).toContain('The user does not answer this.');
  await agent.close();
  requests = [];
  await open(callingOnce('ask_user', { question: 'Which?' }));
  await agent.prompt('ask me');
  expect(offered('ask_user')).not.toContain(true);
});

it.each([
  ['fix the typo in README', false, false],
  ['- a\n- b\n- c', true, false],
  ['Do it step by step', true, false],
  ['Keep a to-do list', true, false],
  ['find TODO', false, false],
  ['first read it, then change it, then test it', true, false],
  ['rename it, and ask me when two fit', false, true],
  ['if unsure, stop', false, true],
])('%j needs a list: %s, needs questions: %s', async (prompt, list, questions) => {
  await open(callingOnce('todo', { items: [] }));
  expect([needsTodo(prompt), needsAskUser(prompt)]).toEqual([list, questions]);
});
