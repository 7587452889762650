import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentEvent } from './agent/events.js';
import {
  openAgentIn,
  type Script,
  type ScriptedAnswer,
  scriptedModel,
} from './agent/fixtures/scripted-agent.js';
import type { Agent } from './create-agent.js';
import { withFallback } from './model/fallback.js';
import { type ModelClient, ModelError, type Usage } from './model/model.js';
import type { CreateAgentOptions } from './options/agent-options.js';
import { statsOfSession } from './stats/stats.js';

let temp: TempWorkspace;
let agent: Agent | null;
let events: AgentEvent[];

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'needle\n' } });
  [agent, events] = [null, []];
});
afterEach(async () => {
  await agent?.close();
  await temp.cleanup();
});

const each: Usage = { inputTokens: 90, outputTokens: 10 };

/** A model whose every answer takes 100 tokens. */
function scripted(script: Script, { provider = 'fake', model = 'gpt-5.1' } = {}): ModelClient {
  return scriptedModel(script, { provider, model, usage: each });
}

const list = (path: string): ScriptedAnswer => [{ name: 'list_directory', arguments: { path } }];
const give = (name: string): ScriptedAnswer => [{ name: 'agent', arguments: { agent: name, task: 'look' } }];

/** The agent explorer looks at ever the same folder under other names until something ends it. */
const endless: Script = (who, { messages }) => {
  if (who === 'explorer') return list(`${temp.directory}${'/.'.repeat(messages.length)}`);
  return messages.length === 1 ? give('explorer') : 'done';
};

async function open(model: ModelClient, more: Partial<CreateAgentOptions> = {}): Promise<Agent> {
  agent = await openAgentIn(temp, { model, onEvent: (event) => events.push(event), ...more });
  return agent;
}

const reports = () =>
  events.flatMap((event) => (event.type === 'usage-report' ? `${event.model} ${event.purpose ?? ''}` : []));

it('the tokens of a subagent count, and their limit ends it and the prompt it works for', async () => {
  const { prompt } = await open(scripted(endless), { maxTokens: 1_000 });
  const result = await prompt('@agent-explorer look');
  expect(result).toMatchObject({ reason: 'token-limit', turns: 1 });
  expect(result.usage).toEqual({ inputTokens: 900, outputTokens: 100 });
  expect(JSON.stringify(agent!.messages.at(-1))).toContain('the tokens of this run are used up');
});

it('the money that a subagent costs counts, and its limit ends it', async () => {
  const { prompt, factsOf } = await open(scripted(endless), { maxCost: 0.001 });
  const { input, output } = factsOf().prices!;
  const result = await prompt('@agent-explorer look');
  const answers = Math.ceil(0.001 / ((90 * input + 10 * output) / 1_000_000));
  expect(result).toMatchObject({ reason: 'cost-limit', usage: { inputTokens: 90 * answers } });
  expect(result.cost).toBeGreaterThanOrEqual(0.001);
});

it('an agent ends after the turns that its file allows, and a tool that is not there is told', async () => {
  const folder = join(temp.outside, 'agents');
  mkdirSync(folder);
  const fields = ['description: Looks.', 'maxTurns: 3', 'tools: LS, Gloob'];
  writeFileSync(join(folder, 'looker.md'), ['---', ...fields, '---', 'Look.'].join('\n'));
  const script: Script = (who, request) => {
    if (who === 'looker') return endless('explorer', request);
    return request.messages.length === 1 ? give('looker') : 'done';
  };
  const pieces = { agents: [{ path: folder, shown: '~/agents' }] };
  const { prompt, messages } = await open(scripted(script), { pieces });
  const { usage } = await prompt('@agent-looker look');
  expect(usage.inputTokens).toBe(5 * 90);
  expect(JSON.stringify(messages)).toContain('did not finish: it has taken as many turns as it may');
  const told = events.flatMap((event) => (event.type === 'call-update' ? event.delta : [])).join('');
  expect(told).toContain('It works without Gloob: there is no such tool here.');
});

it('a subagent whose question would be put off is told who may make the call', async () => {
  const seen: string[] = [];
  const script: Script = (who, { messages }) => {
    if (who !== 'general') return messages.length === 1 ? give('general') : 'done';
    seen.push(JSON.stringify(messages.at(-1)));
    return messages.length === 1
      ? [{ name: 'write_file', arguments: { file_path: 'b.txt', content: 'x' } }]
      : 'no';
  };
  const { prompt } = await open(scripted(script), { confirm: async () => ({ kind: 'park' }) });
  expect((await prompt('@agent-general write')).reason).toBe('done');
  expect(seen[1]).toMatch(
    /a question of a subagent can't wait for an answer, but the agent that gave it the task can make this call itself/,
  );
});

it('the journal and the events have what a subagent used', async () => {
  const script: Script = (who, { messages }) => {
    if (who === 'explorer') return 'nothing there';
    return messages.length === 1 ? give('explorer') : 'done';
  };
  const { prompt, session, factsOf } = await open(scripted(script));
  await prompt('@agent-explorer look');
  const { total: totals } = await statsOfSession(session.journalPath, { table: factsOf });
  expect(totals).toMatchObject({ answers: 2, inputTokens: 270, outputTokens: 30, unpriced: 0 });
  expect(totals.cost).toBeGreaterThan(0);
  expect(reports()).toEqual(['gpt-5.1 ', 'gpt-5.1 agent explorer', 'gpt-5.1 ']);
  expect(await readFile(session.journalPath, 'utf8')).toContain('"purpose":"agent explorer"');
});

it('every request waits for leave, also those of subagents and of summaries', async () => {
  const asked: string[] = [];
  const script: Script = (who, { messages }) => {
    asked.push(`asked ${who}`);
    if (who === 'explorer') return 'nothing there';
    return messages.length === 1 && who === 'main' ? give('explorer') : 'done';
  };
  const { prompt, compact } = await open(scripted(script), {
    beforeRequest: async (_signal, { provider, model }) => void asked.push(`leave ${provider} ${model}`),
  });
  await prompt('@agent-explorer look');
  expect(await compact('', AbortSignal.timeout(30_000))).toBe(true);
  const leave = 'leave fake gpt-5.1';
  expect(asked).toEqual(['main', 'explorer', 'main', 'summary'].flatMap((who) => [leave, `asked ${who}`]));
});

it('a prompt that goes on from an earlier one has what is left of its limits', async () => {
  const { prompt } = await open(
    scripted(() => 'done'),
    { maxTokens: 150 },
  );
  const first = await prompt('one');
  const second = await prompt('two', undefined, { earlier: first });
  expect(second).toMatchObject({ reason: 'done', turns: 2, usage: { inputTokens: 180, outputTokens: 20 } });
  const third = await prompt('three', undefined, { earlier: second });
  expect(third).toMatchObject({ reason: 'token-limit', turns: 2, response: '' });
  expect(await prompt('anew')).toMatchObject({ reason: 'done', turns: 1, usage: each });
});

const busy = new ModelError('rate-limit', 'Too many requests.', { retryAfterMs: 300_000 });

it('what a fallback uses is its own: provider, price and journal', async () => {
  const before: string[] = [];
  const first = scripted(() => busy, { provider: 'first' });
  const second = scripted(() => 'from the second', { provider: 'second', model: 'claude-sonnet-4-5' });
  const { prompt, session, factsOf } = await open(withFallback(first, [async () => second]), {
    beforeRequest: async (_signal, { provider }) => void before.push(provider),
  });
  const result = await prompt('hello');
  const { input, output } = factsOf('claude-sonnet-4-5').prices!;
  expect(result.cost).toBeCloseTo((90 * input + 10 * output) / 1_000_000, 9);
  expect(result.cost).not.toBeCloseTo((90 * 1.25 + 10 * 10) / 1_000_000, 9);
  expect(before).toEqual(['first', 'second']);
  expect(reports()).toEqual(['claude-sonnet-4-5 ']);
  expect(events).toContainEqual(
    expect.objectContaining({ retry: { kind: 'rate-limit', inMs: 300_000, provider: 'first' } }),
  );
  const { total: totals } = await statsOfSession(session.journalPath, { table: factsOf });
  expect(totals.cost).toBeCloseTo(result.cost!, 9);
});

it('a fallback is asked at once where leave for the first is refused, and the last one waits for its own', async () => {
  const asked: string[] = [];
  const first = scripted(() => `first ${asked.push('first was asked')}`, { provider: 'first' });
  const second = scripted(() => 'from the second', { provider: 'second', model: 'claude-sonnet-4-5' });
  const { prompt } = await open(withFallback(first, [async () => second]), {
    beforeRequest: async (_signal, { provider, hasOther }) => {
      asked.push(`${provider} ${hasOther}`);
      if (hasOther) throw new ModelError('rate-limit', 'It is left alone.');
    },
  });
  expect((await prompt('hello')).response).toBe('from the second');
  expect(asked).toEqual(['first true', 'second false']);
});

it('a fallback that can not answer either is the one that wants to be left alone', async () => {
  const first = scripted(() => new ModelError('overload', 'Busy.'), { provider: 'first' });
  const second = scripted(() => busy, { provider: 'second' });
  const { prompt } = await open(withFallback(first, [async () => second]));
  expect((await prompt('hello')).error).toMatchObject({ retryAfterMs: 300_000, provider: 'second' });
});

it('a fallback whose price nobody knows is not asked where money is limited', async () => {
  const first = scripted(() => busy);
  let asked = 0;
  const second = scripted(() => `answer ${++asked}`, { model: 'unheard-of' });
  const { prompt } = await open(withFallback(first, [async () => second]), { maxCost: 1 });
  const { reason, error } = await prompt('hello');
  expect([reason, asked]).toEqual(['failed', 0]);
  expect(error?.message).toMatch(/^unheard-of is not asked: money is limited, and nobody knows its prices/);
});
