import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from '@toolwright/machine/base/content.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentEvent } from './agent/events.js';
import { openAgentIn, scriptedModel } from './agent/fixtures/scripted-agent.js';
import type { Agent } from './create-agent.js';
import type { ModelRequest } from './model/model.js';
import type { CreateAgentOptions } from './options/agent-options.js';
import { scriptThreadFromSource } from './tools/script/fixtures/script-thread-from-source.js';

let temp: TempWorkspace;
let agent: Agent;
let events: AgentEvent[];
let requests: ModelRequest[];
const { signal } = new AbortController();

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'text\n' } });
  mkdirSync(temp.outside, { recursive: true });
  [events, requests] = [[], []];
});
afterEach(async () => {
  await agent.close();
  await temp.cleanup();
});

type Answer = string | [string, Record<string, unknown>][];

async function open(
  hooks: Record<string, string>,
  answers: Answer[],
  more: Partial<CreateAgentOptions> = {},
): Promise<void> {
  const path = join(temp.outside, 'hooks.json');
  const entries = Object.entries(hooks).map(([event, command]) => [
    event,
    [
      {
        hooks: [
          {
            type: 'command',
            command: `tee -a ${temp.outside}/told.jsonl > ${temp.outside}/last.json; echo >> ${temp.outside}/told.jsonl; ${command}`,
          },
        ],
      },
    ],
  ]);
  writeFileSync(path, JSON.stringify({ hooks: Object.fromEntries(entries) }));
  agent = await openAgentIn(temp, {
    approvalMode: 'yolo',
    // These answers one after the other, and then `done`.
    model: scriptedModel((_who, request) => {
      requests.push(structuredClone({ ...request, messages: [...request.messages] }));
      const answer = answers.shift() ?? 'done';
      return typeof answer === 'string' ? answer : answer.map(([name, args]) => ({ name, arguments: args }));
    }),
    onEvent: (event) => events.push(event),
    confirm: async () => ({ kind: 'once' }),
    pieces: { hooks: [{ path, shown: 'hooks.json', format: 'claude', isOwn: true }] },
    ...more,
  });
}

const told = (): Record<string, unknown>[] =>
  readFileSync(join(temp.outside, 'told.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const textsSent = (): string => JSON.stringify(requests.map(({ messages }) => messages));
const reads: Answer = [['read_file', { absolute_path: 'a.txt' }]];
const once =
  (...written: (string | null)[]) =>
  async (): Promise<Part[] | null> => {
    const text = written.shift() ?? null;
    return text === null ? null : [{ text }];
  };

it('hooks of prompts hear what the user types while the model works, and may refuse it', async () => {
  const refuses = `grep -q forbidden ${temp.outside}/last.json || exit 0; echo not that >&2; exit 2`;
  await open({ UserPromptSubmit: refuses }, [reads, reads, 'ok']);
  const between = once('forbidden word', '@agent-explorer please');
  const { reason } = await agent.prompt('begin', signal, { between });
  expect(told().map(({ prompt }) => prompt)).toEqual(['begin', 'forbidden word', '@agent-explorer please']);
  expect([reason, textsSent().includes('forbidden')]).toEqual(['done', false]);
  expect(events).toContainEqual({
    type: 'notice',
    message: expect.stringMatching(/^The prompt was not sent: the hook .* says no: not that$/),
  });
  // An agent that is named in such a text is offered as in a prompt.
  expect(requests.map(({ tools }) => tools.some(({ name }) => name === 'agent'))).toEqual([
    false,
    false,
    true,
  ]);
});

it('hooks are told of a summary that the user asks for, and of the start after it', async () => {
  const start = `grep -q '"source":"compact"' ${temp.outside}/last.json && echo remember the rules; exit 0`;
  await open({ PreCompact: '', SessionStart: start, SessionEnd: '' }, ['one', 'two', 'three'], {
    isCleared: true,
  });
  for (const text of ['a', 'b', 'c']) await agent.prompt(`${text} ${'long '.repeat(3_000)}`);
  expect(await agent.compact('the names', signal)).toBe(true);
  await agent.prompt('go on');
  await agent.close('clear');
  expect(
    told().map(({ source, trigger, custom_instructions, reason }) => [
      source,
      trigger,
      custom_instructions,
      reason,
    ]),
  ).toEqual([
    ['clear', undefined, undefined, undefined],
    [undefined, 'manual', 'the names', undefined],
    ['compact', undefined, undefined, undefined],
    [undefined, undefined, undefined, 'clear'],
  ]);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('remember the rules');
});

it('hooks are told of every question: of a subagent, of the model itself', async () => {
  const work: Answer = [['agent', { agent: 'general', task: 'look' }]];
  const writes: Answer = [['write_file', { file_path: 'b.txt', content: 'x' }]];
  const asks: Answer = [['ask_user', { question: 'Tea or coffee?' }]];
  await open({ Notification: '' }, [work, writes, 'report', asks, 'ok'], {
    approvalMode: 'default',
    onAskUser: async () => ({ action: 'accept', content: { answer: 'tea' } }),
  });
  await agent.prompt('use subagents, and ask me which drink');
  await expect.poll(() => told().length).toBe(2);
  expect(told().map(({ message, notification_type }) => [message, notification_type])).toEqual(
    expect.arrayContaining([
      [expect.stringMatching(/^Toolwright asks: .*b\.txt.*asked by the agent general/), 'permission_prompt'],
      [expect.stringContaining('Tea or coffee?'), 'elicitation_dialog'],
    ]),
  );
});

it.each(['PreToolUse', 'PostToolUse'])('a hook of %s with continue: false ends the run', async (event) => {
  const answer = JSON.stringify({ continue: false, stopReason: 'enough' });
  await open({ [event]: `echo '${answer}'` }, [reads, 'not asked for']);
  const { reason, error, turns } = await agent.prompt('begin');
  expect([reason, turns, requests.length]).toEqual(['failed', 1, 1]);
  expect(error).toEqual({
    kind: 'hook',
    message: expect.stringMatching(/^The hook .* ended the run: enough\.$/),
  });
});

it('a hook that stops a call of a script or of a subagent ends the whole run', async () => {
  const stops = `grep -q '"tool_name":"Read"' ${temp.outside}/last.json && echo '{"continue":false,"stopReason":"enough"}'; exit 0`;
  const code = "await tools.read_file({absolute_path: 'a.txt'}); await tools.glob({pattern: '*'});";
  for (const answers of [
    [[['script', { code }]]],
    [[['agent', { agent: 'general', task: 'look' }]], reads],
  ]) {
    requests = [];
    await open({ PostToolUse: stops }, [...(answers as Answer[]), 'not asked for'], {
      script: { enabled: true, thread: scriptThreadFromSource },
    });
    const { reason, error } = await agent.prompt('use a script or subagents');
    expect([reason, requests.length]).toEqual(['failed', answers.length]);
    expect(error).toEqual({ kind: 'hook', message: expect.stringMatching(/ended the run: enough\.$/) });
    const names = told().map(({ tool_name }) => tool_name);
    expect([names.includes('Read'), names.includes('Glob')]).toEqual([true, false]);
    await agent.close();
  }
});
