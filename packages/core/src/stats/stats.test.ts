import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { expect, it, onTestFinished } from 'vitest';
import { collectStats, type Stats, statsOfSession } from './stats.js';

const at = (second: number): string =>
  new Date(Date.parse('2026-11-18T12:00:00Z') + second * 1_000).toISOString();

/** A session with one prompt and so many calls of one tool, each a second long. */
function session(model: string, tool: string, calls: number): object[] {
  const usage = { inputTokens: 10, outputTokens: 1 };
  return [
    { at: at(0), type: 'session-start', sessionId: 's', workspace: '/w', front: 'headless', model },
    { at: at(0), type: 'message', message: { role: 'user', parts: [{ text: 'do it' }] } },
    { at: at(1), type: 'message', message: { role: 'model', parts: [] }, usage },
    ...Array.from({ length: calls }, (_, number) => [
      { at: at(number), type: 'call-start', callId: `c${number}`, tool, args: {}, effects: [] },
      { at: at(number + 1), type: 'call-end', callId: `c${number}`, tool, response: {}, display: '' },
    ]).flat(),
  ].map((entry) => ({ v: 1, ...entry }));
}

const textOf = (entries: readonly object[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

async function statsOf(journals: Record<string, string | null>): Promise<Stats> {
  const state = mkdtempSync(join(tmpdir(), 'toolwright-stats-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const folder = join(state, 'sessions', 'w-1');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(journals))
    if (text === null) mkdirSync(join(folder, `${name}.jsonl`));
    else writeFileSync(join(folder, `${name}.jsonl`), text);
  return collectStats(openStateFolder(state), { from: '2026-11-01', to: '2026-11-30', table: () => ({}) });
}

it('the offline model costs nothing; the price of other models is not known without a table, nor of an answer without tokens', async () => {
  const untold = session('gpt-5', 'glob', 0).map((entry) => ({ ...entry, usage: undefined }));
  const { models } = await statsOf({
    offline: textOf(session('offline', 'glob', 1)),
    other: textOf(session('gpt-5', 'glob', 1)),
    untold: textOf(untold),
  });
  expect([models['offline']?.unpriced, models['gpt-5']?.unpriced]).toEqual([0, 2]);
});

it('stats count what can be read of broken journals, and tell how many can not be read to their end', async () => {
  const whole = textOf(session('gpt-5', 'glob', 2));
  const odd = [
    { v: 1, at: at(3), type: 'message' },
    { v: 1, at: 'yesterday', type: 'call-end', callId: 'c0' },
    { v: 1, type: 'changes' },
    { v: 1, at: at(3), type: 'something-else' },
  ];
  const stats = await statsOf({
    whole,
    torn: `${textOf(session('gpt-5', 'glob', 1))}{"v":1,"at":"2026`,
    odd: textOf([...session('gpt-5', 'glob', 1), ...odd]),
    newer: `${textOf(session('gpt-5', 'glob', 1))}{"v":99,"type":"message"}\n`,
    folder: null,
    empty: '',
    noise: '\u0000\u0001\n[]\n"text"\n',
  });
  expect(stats.total).toMatchObject({ sessions: 4, prompts: 4, answers: 4, calls: 5, inputTokens: 40 });
  expect(stats.unread).toBe(2);
  expect(stats.tools['glob']).toMatchObject({ calls: 5, totalMs: 5_000, medianMs: 1_000 });
});

it('stats count models and tools of any name', async () => {
  const stats = await statsOf({ a: textOf(session('constructor', '__proto__', 1)) });
  expect(Object.entries(stats.models).map(([name, { answers }]) => [name, answers])).toEqual([
    ['constructor', 1],
  ]);
  expect(Object.entries(stats.tools).map(([name, { calls }]) => [name, calls])).toEqual([['__proto__', 1]]);
});

const prices: Record<string, { input: number; output: number }> = {
  'gpt-5': { input: 1_000_000, output: 0 },
};

async function sessionStats(entries: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-stats-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 's.jsonl');
  writeFileSync(path, textOf(entries));
  return statsOfSession(path, { table: (model) => ({ prices: prices[model] }) });
}

it('the numbers of one session are those of its whole journal, and stand by model where it was taken up again with another', async () => {
  const { total, models } = await sessionStats([
    ...session('gpt-5', 'glob', 2),
    ...session('other', 'edit', 1),
  ]);
  expect(total).toMatchObject({ prompts: 2, answers: 2, calls: 3, inputTokens: 20, cost: 10, unpriced: 1 });
  expect(models).toMatchObject({ 'gpt-5': { calls: 2, cost: 10 }, other: { calls: 1, unpriced: 1 } });
});

it('an answer that names its model counts as that of this one, the next without as that of the start', async () => {
  const answer = { v: 1, at: at(2), type: 'message', message: { role: 'model', parts: [] } };
  const usage = { inputTokens: 5, outputTokens: 1 };
  const switched = [
    { ...answer, usage, model: 'other' },
    { ...answer, usage },
  ];
  const { models } = await sessionStats([...session('gpt-5', 'glob', 0), ...switched]);
  expect([models['gpt-5']?.inputTokens, models['other']?.inputTokens]).toEqual([15, 5]);
});
