import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cost, stats } from './usage.js';

const usage = { inputTokens: 1_000_000, outputTokens: 0 };
const start = (model: string): object => ({
  type: 'session-start',
  sessionId: 's',
  workspace: '/w',
  front: 'x',
  model,
});
const prompt = { type: 'message', message: { role: 'user', parts: [{ text: 'do it' }] } };
const answer = (more: object = { usage }): object => ({
  type: 'message',
  message: { role: 'model', parts: [] },
  ...more,
});
const prices: Record<string, { input: number; output: number; asOf?: string }> = {
  dear: { input: 15, output: 75 },
  cheap: { input: 1, output: 5, asOf: 'May 2026' },
};

function sessionOf(now: string, ...entries: object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-usage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const journalPath = join(folder, 's.jsonl');
  const lines = entries.map((entry) => JSON.stringify({ v: 1, at: '2026-11-18T12:00:00Z', ...entry }));
  writeFileSync(journalPath, `${lines.join('\n')}\n`);
  const model = { provider: now === 'offline' ? 'offline' : 'openai', model: now };
  const agent = {
    model,
    session: { id: 's', journalPath },
    factsOf: (name = now) => ({ prices: prices[name] }),
  };
  return { agent, signal: new AbortController().signal } as unknown as Parameters<typeof cost>[0];
}

async function textOf(command: typeof cost, session: Parameters<typeof cost>[0]): Promise<string> {
  return (await command(session)).map((item) => (item.kind === 'text' ? item.text : '')).join('');
}

it.each<[string, object[], string]>([
  [
    'cheap',
    [start('cheap'), prompt, answer()],
    'about $1.0000 ($1 in, $5 out per million tokens, prices of May 2026)',
  ],
  ['offline', [start('offline'), prompt, answer()], 'free: the offline model runs locally'],
  [
    'own',
    [start('own'), prompt, answer()],
    'unknown: there is no price for own. models.json in the state folder can set one.',
  ],
  ['own', [], 'unknown: there is no price for own. models.json in the state folder can set one.'],
  [
    'cheap',
    [start('cheap'), answer({})],
    'about $0.0000 ($1 in, $5 out per million tokens, prices of May 2026); 1 answer did not tell its tokens',
  ],
])('/cost of a session of one model, %s', async (now, entries, expected) => {
  expect((await textOf(cost, sessionOf(now, ...entries))).split('\n').slice(2).join('\n')).toBe(
    `  Cost    ${expected}`,
  );
});

it('/cost of a session that went on with another model counts each answer at the price of its model', async () => {
  const entries = [
    start('dear'),
    prompt,
    answer(),
    start('cheap'),
    prompt,
    answer(),
    answer({ usage, model: 'own' }),
  ];
  expect(await textOf(cost, sessionOf('cheap', ...entries))).toBe(
    [
      '  Model   cheap (openai)',
      '  Tokens  3,000,000 in, 0 out',
      '  Cost    about $16.0000, without 1 answer whose price is not known',
      '          dear: about $15.0000 ($15 in, $75 out per million tokens)',
      '          cheap: about $1.0000 ($1 in, $5 out per million tokens, prices of May 2026)',
      '          own: unknown: there is no price for own. models.json in the state folder can set one.',
    ].join('\n'),
  );
});

it('/cost has what a subagent used of another model', async () => {
  const used = { type: 'usage', purpose: 'agent explorer', model: 'cheap', usage };
  const text = await textOf(cost, sessionOf('dear', start('dear'), prompt, answer(), used));
  expect(text).toContain('Tokens  2,000,000 in');
  expect(text).toContain('Cost    about $16.0000\n          dear: about $15.0000');
  expect(text).toContain('cheap: about $1.0000');
});

it('/cost of a session that went on offline does not forget what came before', async () => {
  const text = await textOf(
    cost,
    sessionOf('offline', start('dear'), prompt, answer(), start('offline'), prompt, answer()),
  );
  expect(text).toContain('Cost    about $15.0000\n          dear: about $15.0000');
  expect(text).toContain('offline: free: the offline model runs locally');
});

it('/stats of a session that was taken up again counts what came before', async () => {
  const text = await textOf(
    stats,
    sessionOf('cheap', start('dear'), prompt, answer(), start('cheap'), prompt, answer()),
  );
  expect(text).toContain(
    '  Model       cheap (openai)\n  Prompts     2, answered in 2 turns\n  Tool calls  0\n',
  );
  expect(text).toContain('  Tokens      2000000 in, 0 out\n');
});
