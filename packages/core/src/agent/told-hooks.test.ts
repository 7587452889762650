import { expect, it } from 'vitest';
import { createAskHooks } from '../pieces/hooks/ask-hooks.js';
import type { HookEvent } from '../pieces/hooks/hook.js';
import { createStartedHooks } from '../pieces/hooks/started-hooks.js';
import type { AgentEvent } from './events.js';
import { createSubagentStop, createToldHooks } from './told-hooks.js';

const { signal } = new AbortController();

/** Hooks of these events that answer with these texts, `2 text` for an exit code. */
function open(answers: Partial<Record<HookEvent, string>>) {
  const told: { event: string; input: Record<string, unknown> }[] = [];
  const events: AgentEvent[] = [];
  const from = { path: '/h', shown: 'h', format: 'claude' as const, isOwn: true };
  const about = Object.keys(answers) as HookEvent[];
  const hooks = createAskHooks({
    started: createStartedHooks({ run: () => Promise.reject(new Error('not here')), say: () => undefined }),
    hooks: about.map((event) => ({
      event,
      matcher: '',
      command: 'c',
      names: 'claude' as const,
      timeoutMs: 1_000,
      line: 1,
      from,
    })),
    sessionId: 's',
    journalPath: '/j',
    workspace: '/w',
    mode: () => 'auto-edit',
    async run({ event }, input) {
      told.push({ event, input: JSON.parse(input) });
      const [, code, text] = /^(?:(\d) )?(.*)$/s.exec(answers[event] ?? '') ?? [];
      const exitCode = Number(code ?? 0);
      return { exitCode, stdout: exitCode === 0 ? text! : '', stderr: text!, stopped: null };
    },
  });
  const recorded: object[] = [];
  const needs = {
    emit: (event: AgentEvent) => void events.push(event),
    record: async (answer: object) => void recorded.push(answer),
  };
  const talk = createToldHooks(hooks, { ...needs, source: 'startup' });
  const subagent = createSubagentStop(hooks, { ...needs, name: 'explorer' });
  return { talk, subagent, told, events, recorded };
}

it('the agent with hooks gives the first prompt what hooks say at the start, and every prompt what they say of it', async () => {
  const { talk, told } = open({ SessionStart: 'a', UserPromptSubmit: 'b' });
  expect(await talk.beforePrompt('hello', signal)).toEqual([
    { text: '\n\n[From a hook of the user]\na\n\nb' },
  ]);
  expect(await talk.beforePrompt('again', signal)).toEqual([{ text: '\n\n[From a hook of the user]\nb' }]);
  expect(told.map(({ event }) => event)).toEqual(['SessionStart', 'UserPromptSubmit', 'UserPromptSubmit']);
  expect(told[0]?.input).toMatchObject({ source: 'startup', permission_mode: 'acceptEdits' });
  expect(told[1]?.input).toMatchObject({ prompt: 'hello' });
});

it('the agent with hooks does not send a prompt that a hook refuses', async () => {
  const { talk } = open({ UserPromptSubmit: '2 not this' });
  expect(await talk.beforePrompt('x', signal)).toEqual({
    refused: 'The prompt was not sent: the hook c (h:1) says no: not this',
  });
});

it('the agent with hooks lets a hook have the model go on, but not for ever', async () => {
  const { talk, told } = open({ Stop: '2 run the tests' });
  await talk.beforePrompt('x', signal);
  const ends: boolean[] = [];
  for (let index = 0; index < 7; index++) ends.push((await talk.whenDone(signal)) === null);
  expect(ends).toEqual([false, false, false, false, false, true, true]);
  expect(told.map(({ input }) => input['stop_hook_active'])).toEqual([false, true, true, true, true]);
});

it('the agent with hooks ends where a hook says that all ends', async () => {
  const { talk } = open({ Stop: '{"continue": false}' });
  expect(await talk.whenDone(signal)).toBeNull();
});

it('the agent with hooks tells of questions, of shortening and of the end, and passes on what hooks say to the user', async () => {
  const { talk, told, events } = open({
    Notification: '',
    PreCompact: '',
    SessionEnd: '1 oh',
    SessionStart: '',
  });
  await talk.end(signal);
  expect(told).toEqual([]);
  await talk.beforePrompt('x', signal);
  talk.questionAsked('write a.txt', 'permission_prompt');
  await talk.beforeShortening(signal);
  await talk.end(signal);
  expect(told.map(({ event }) => event)).toEqual([
    'SessionStart',
    'Notification',
    'PreCompact',
    'SessionEnd',
  ]);
  expect(events).toEqual([
    { type: 'notice', message: 'The hook c (h:1) failed: it ended with exit code 1: oh.' },
  ]);
});

it('hooks may make a subagent go on, and what they answer is kept in the journal', async () => {
  const { subagent, told, events, recorded } = open({ SubagentStop: '2 look again' });
  expect(await subagent.whenDone(signal)).toEqual([
    { text: '[A hook of the user wants you to continue]\nlook again' },
  ]);
  await subagent.whenDone(signal);
  await subagent.end(signal);
  expect(told.map(({ input }) => [input['agent_type'], input['stop_hook_active']])).toEqual([
    ['explorer', false],
    ['explorer', true],
  ]);
  expect(recorded[0]).toEqual({
    event: 'SubagentStop',
    hook: 'c (h:1)',
    decision: 'deny',
    reason: 'look again',
    failure: undefined,
  });
  expect(events).toEqual([]);
  const failing = open({ SubagentStop: '1 oh' });
  await failing.subagent.end(signal);
  expect(failing.events).toMatchObject([{ message: expect.stringContaining('exit code 1: oh') }]);
});
