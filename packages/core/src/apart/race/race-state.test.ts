import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentResult } from '../../agent/events.js';
import { bestOf } from './best.js';
import {
  type CheckResult,
  initialRace,
  type RaceEvent,
  type RunnerEnd,
  type RunnerState,
  reduceRace,
} from './race-state.js';
import { sideBySide } from './side-by-side.js';

const race = (...events: RaceEvent[]) => events.reduce(reduceRace, initialRace([undefined, 'other-model']));
const agent = (event: AgentEvent, number = 1): RaceEvent => ({ type: 'agent', number, event });
const usage = (inputTokens: number, outputTokens: number): AgentEvent => ({
  type: 'usage-report',
  usage: { inputTokens, outputTokens },
  provider: 'openai',
  model: 'fake',
});
const changed = (...paths: string[]): AgentEvent => ({
  type: 'call-end',
  callId: '1',
  tool: 'edit',
  display: {
    kind: 'diff',
    files: paths.map((path) => ({ path, change: 'modify', unified: '', added: 1, removed: 1 })),
  },
});
const result: AgentResult = {
  reason: 'done',
  response: 'Done.',
  turns: 3,
  calls: 2,
  usage: { inputTokens: 30, outputTokens: 4 },
  denials: [
    { callId: '1', tool: 'shell', by: 'nobody-to-ask', reason: 'it needs the network' },
    { callId: '2', tool: 'edit', by: 'rule', reason: 'denied' },
  ],
  changes: [],
};
const end = (added: number, files = 1, reason: RunnerEnd['reason'] = 'done'): RunnerEnd => ({
  reason,
  response: '',
  error: null,
  work: {
    digest: 'd',
    summary: `modifies ${files}`,
    files: Array.from({ length: files }, (_, index) => ({
      path: `${index}.txt`,
      change: 'modify' as const,
      added: 0,
      removed: 0,
      warnings: [],
    })),
    added,
    removed: 0,
  },
});
const check = (passed: boolean): CheckResult => ({
  passed,
  ended: `exit code ${passed ? 0 : 1}`,
  output: '',
  durationMs: 5,
});

describe('a race', () => {
  it('counts turns, tokens, files and refused questions of each session as they come', () => {
    const state = race(
      { type: 'runner-started', number: 1, atMs: 1_000 },
      { type: 'session-begun', number: 1, id: 'apart-1', model: 'a-model' },
      agent(usage(10, 2)),
      agent(changed('a.txt', 'b.txt')),
      agent(usage(20, 3)),
      agent(changed('a.txt')),
      agent({ type: 'call-ask', callId: '1', request: {} as never }),
    );
    expect(state.runners[0]).toMatchObject({
      phase: 'working',
      id: 'apart-1',
      model: 'a-model',
      turns: 2,
      tokens: 35,
      files: ['a.txt', 'b.txt'],
      refused: 1,
    });
    expect(state.runners[1]).toEqual(initialRace([undefined, 'other-model']).runners[1]);
  });

  it('believes the result where it says something else than the events', () => {
    const state = race(agent(usage(1, 1)), agent({ type: 'result', result }));
    expect(state.runners[0]).toMatchObject({ turns: 3, tokens: 34, refused: 1 });
  });

  it('knows of each session whether it is checked, what came of it, and when it ended', () => {
    const begun = race(
      { type: 'runner-started', number: 2, atMs: 1_000 },
      { type: 'check-started', number: 2 },
    );
    expect(begun.runners[1]!.phase).toBe('checking');
    const state = reduceRace(reduceRace(begun, { type: 'check-ended', number: 2, check: check(false) }), {
      type: 'runner-ended',
      number: 2,
      atMs: 9_000,
      end: end(3, 2),
    });
    expect(state.runners[1]).toMatchObject({
      phase: 'ended',
      startedAtMs: 1_000,
      endedAtMs: 9_000,
      files: ['0.txt', '1.txt'],
      check: { passed: false },
    });
  });
});

describe('the best of a race', () => {
  const runners = (...given: Partial<RunnerState>[]) => ({
    runners: initialRace(given.map(() => undefined)).runners.map((runner, index) => ({
      ...runner,
      phase: 'ended' as const,
      ...given[index],
    })),
  });
  const unchanged = { ...end(0), work: null };

  it.each<[string, Partial<RunnerState>[], number | null, boolean]>([
    [
      'passed the check, however large the change',
      [
        { end: end(1), check: check(false) },
        { end: end(90), check: check(true) },
      ],
      2,
      true,
    ],
    [
      'has the smallest change of those that passed',
      [
        { end: end(9), check: check(true) },
        { end: end(5), check: check(true) },
      ],
      2,
      true,
    ],
    ['has fewer files where the lines are as many', [{ end: end(5, 3) }, { end: end(5, 2) }], 2, false],
    ['is the first where nothing else decides', [{ end: end(5) }, { end: end(5) }], 1, false],
    ['changed something', [{ end: unchanged }, { end: end(5) }], 2, false],
    ['came to its end, where no check tells', [{ end: end(1, 1, 'turn-limit') }, { end: end(5) }], 2, false],
    [
      'may have met a limit where the check passed',
      [{ end: end(1, 1, 'turn-limit'), check: check(true) }],
      1,
      true,
    ],
    ['is nobody where no check passed', [{ end: end(1), check: check(false) }, { end: end(2) }], null, true],
    ['is nobody where nobody changed anything', [{ end: unchanged, check: check(true) }], null, true],
  ])('%s', (_, given, expected, isChecked) => {
    expect(bestOf(runners(...given), { isChecked })?.number ?? null).toBe(expected);
  });
});

describe('sessions side by side', () => {
  const GB = 1024 ** 3;
  it.each([
    [3, { cores: 8, freeBytes: 16 * GB }, 3, null],
    [8, { cores: 2, freeBytes: 16 * GB }, 4, '4 of 8 sessions run at a time: this machine has 2 cores.'],
    [
      3,
      { cores: 8, freeBytes: 2.4 * GB },
      2,
      '2 of 3 sessions run at a time: 2.4 GB of memory are free, and each may need 1 GB.',
    ],
    [
      3,
      { cores: 1, freeBytes: 0 },
      1,
      '1 of 3 sessions run at a time: 0.0 GB of memory are free, and each may need 1 GB.',
    ],
  ])('%i wanted on %j', (wanted, machine, atOnce, why) => {
    expect(sideBySide(wanted, machine)).toEqual({ atOnce, why });
  });
});
