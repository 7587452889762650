import type { SavedEntry } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { totalsOf } from '../../wire/totals.js';
import { briefOf, createTimeline } from './timeline.js';

const at = (second: number): { v: 1; at: string } => ({ v: 1, at: new Date(second * 1_000).toISOString() });
const message = (second: number, role: 'user' | 'model', parts: object[], more: object = {}): SavedEntry =>
  ({ ...at(second), type: 'message', message: { role, parts }, ...more }) as SavedEntry;

/** The prices of the session's own model. */
const prices = { input: 2, cached: 1, output: 10 };
const factsOf = (model: string) => (model === 'm' ? { prices } : {});

const entries: SavedEntry[] = [
  { ...at(0), type: 'session-start', sessionId: 's', workspace: '/w', front: 'headless', model: 'm' },
  message(1, 'user', [{ text: 'Change a.txt' }]),
  message(
    4,
    'model',
    [{ text: 'hm', thought: true }, { text: 'I will.' }, { functionCall: { name: 'edit' } }],
    {
      usage: { inputTokens: 100, cachedTokens: 60, outputTokens: 7 },
    },
  ),
  { ...at(4), type: 'call-start', callId: 'c', tool: 'edit', args: { file_path: 'a.txt' }, effects: [] },
  {
    ...at(9),
    type: 'call-decision',
    callId: 'c',
    decision: 'ask',
    reason: 'default mode asks',
    outcome: 'once',
    waitedMs: 4_000,
    winner: { kind: 'mode', mode: 'default', class: 'write' },
  } as SavedEntry,
  {
    ...at(10),
    type: 'call-end',
    callId: 'c',
    tool: 'edit',
    response: { name: 'edit', response: { output: 'ok' } },
    display: {
      kind: 'diff',
      files: [{ path: 'a.txt', change: 'modify', unified: '-a\n+b\n', added: 1, removed: 1 }],
    },
    changeSet: 'x',
    newErrors: [
      {
        server: 'pyright',
        total: 1,
        files: 1,
        isLate: false,
        errors: [{ path: 'a.py', line: 2, column: 1, message: 'no such name', code: '' }],
      },
    ],
  },
  message(10, 'user', [{ functionResponse: { name: 'edit' } }, { text: 'context of a folder' }]),
  message(12, 'model', [{ text: 'Done.' }], { usage: { inputTokens: 150, outputTokens: 3 } }),
];

describe('a timeline', () => {
  it('carries the list of things to do with the call that gives it', () => {
    const timeline = createTimeline(factsOf);
    const items = [{ text: 'Look', state: 'done' }, { text: 'Mend' }];
    timeline.add([{ ...at(1), type: 'call-start', callId: 'c', tool: 'todo', args: { items }, effects: [] }]);
    expect(timeline.items[0]).toMatchObject({
      brief: '2 items',
      todo: [
        { text: 'Look', state: 'done' },
        { text: 'Mend', state: 'open' },
      ],
    });
  });

  it('tells what was said, decided and done, and nothing that the user did not say', () => {
    const timeline = createTimeline(factsOf);
    timeline.add(entries);
    expect(timeline.items.map(({ kind }) => kind)).toEqual(['start', 'prompt', 'answer', 'call', 'answer']);
    expect(timeline.items[2]).toMatchObject({ text: 'I will.', thinking: 'hm' });
    expect(timeline.items[3]).toMatchObject({
      state: 'done',
      brief: 'a.txt',
      added: 1,
      removed: 1,
      changeSet: 'x',
      newErrors: '1 new error: a.py:2 no such name',
      decision: { verdict: 'ask', by: 'default mode', outcome: 'once', waitedMs: 4_000 },
    });
  });

  it('is the same when it is read in pieces, and says from where on it is another', () => {
    const [whole, pieces] = [createTimeline(factsOf), createTimeline(factsOf)];
    whole.add(entries);
    const changed = entries.map((entry) => pieces.add([entry]));
    expect(pieces.items).toEqual(whole.items);
    expect(changed).toEqual([0, 1, 2, 3, 3, 3, 4, 4]);
  });

  it('adds up tokens and cost by turn and time by kind of work', () => {
    const timeline = createTimeline(factsOf);
    timeline.add(entries);
    expect(totalsOf(timeline.items)).toEqual({
      turns: [
        { fresh: 40, cached: 60, answer: 7, cost: 0.00021 },
        { fresh: 150, cached: 0, answer: 3, cost: 0.00033 },
      ],
      time: { model: 5_000, tools: 2_000, waiting: 4_000 },
      calls: 1,
      asked: 1,
      failed: 0,
      models: [{ model: 'm', prices }],
    });
  });

  it('counts an answer of another model than that of the start at the price of this one', () => {
    const timeline = createTimeline((model) => ({
      prices: model === 'm' ? prices : { input: 20, output: 0 },
    }));
    const usage = { inputTokens: 100, outputTokens: 5 };
    timeline.add([...entries, message(13, 'model', [{ text: 'More.' }], { usage, model: 'dear' })]);
    const { turns, models } = totalsOf(timeline.items);
    expect(turns.map(({ cost }) => cost)).toEqual([0.00021, 0.00033, 0.002]);
    expect(models.map(({ model }) => model)).toEqual(['m', 'dear']);
  });

  it('counts what subagents and summaries used with the turn that they worked for, as /cost does', () => {
    const timeline = createTimeline((model) => ({
      prices: model === 'm' ? prices : { input: 20, output: 0 },
    }));
    const used = (second: number, purpose: string, model: string, inputTokens: number): SavedEntry => ({
      ...at(second),
      type: 'usage',
      purpose,
      model,
      usage: { inputTokens, outputTokens: 5 },
    });
    const before = used(0, 'summary', 'm', 10);
    timeline.add([
      ...entries.slice(0, 1),
      before,
      ...entries.slice(1, 4),
      used(8, 'agent explorer', 'dear', 100),
      ...entries.slice(4),
    ]);
    const { turns, models, time } = totalsOf(timeline.items);
    expect(turns).toEqual([
      { fresh: 10, cached: 0, answer: 5, cost: expect.closeTo(0.00007, 8) },
      { fresh: 140, cached: 60, answer: 12, cost: expect.closeTo(0.00221, 8) },
      { fresh: 150, cached: 0, answer: 3, cost: 0.00033 },
    ]);
    expect(models.map(({ model }) => model)).toEqual(['m', 'dear']);
    expect(time).toEqual({ model: 5_000, tools: 2_000, waiting: 4_000 });
  });

  it('says that no cost is known of a model without a price', () => {
    const timeline = createTimeline(() => ({}));
    timeline.add(entries);
    const { turns, models } = totalsOf(timeline.items);
    expect(turns.map(({ cost }) => cost)).toEqual([null, null]);
    expect(models).toEqual([{ model: 'm', prices: undefined }]);
  });
});

it.each([
  [{ command: 'npm test\n&& ls' }, 'npm test && ls'],
  [{ a: 1 }, '{"a":1}'],
  [{}, ''],
  [{ pattern: 'x'.repeat(300) }, `${'x'.repeat(160)}…`],
])('the brief of %j is one line', (args, brief) => {
  expect(briefOf(args)).toBe(brief);
});

it('the timeline has a call that was put off once, also after it was answered', () => {
  const start = { type: 'call-start' as const, callId: 'c', tool: 'edit', args: {}, effects: [] };
  const decided = { type: 'call-decision' as const, callId: 'c', decision: 'ask' as const, reason: '' };
  const timeline = createTimeline(factsOf);
  timeline.add([
    { ...at(1), ...start },
    { ...at(1), ...decided, outcome: 'park' },
  ] as SavedEntry[]);
  expect(timeline.items).toMatchObject([{ state: 'running', decision: { outcome: 'park' } }]);
  const changed = timeline.add([
    { ...at(9), ...start, callId: 'again' },
    { ...at(9), ...decided, callId: 'again', outcome: 'once' },
  ] as SavedEntry[]);
  expect([changed, timeline.items]).toMatchObject([0, [{ decision: { outcome: 'once' } }]]);
});
