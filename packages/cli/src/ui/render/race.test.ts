import type { RaceEvent, RaceState, RunnerState } from '@toolwright/core/front-end';
import { describe, expect, it } from 'vitest';
import { type Appearance, textOfLine, widthOf } from './line.js';
import { raceNews, renderRace, renderWork } from './race.js';

const plain: Appearance = { color: false, unicode: true, linear: false };

const runner = (number: number, more: Partial<RunnerState> = {}): RunnerState => ({
  number,
  model: 'a-model',
  phase: 'waiting',
  id: null,
  turns: 0,
  tokens: 0,
  files: [],
  refused: 0,
  startedAtMs: null,
  endedAtMs: null,
  check: null,
  end: null,
  ...more,
});
const check = (passed: boolean) => ({
  passed,
  ended: `exit code ${passed ? 0 : 1}`,
  output: '',
  durationMs: 1,
});
const work = (files: Record<string, ['create' | 'modify' | 'delete', number, number]>) => ({
  digest: 'd',
  summary: '1 file changed',
  files: Object.entries(files).map(([path, [change, added, removed]]) => ({
    path,
    change,
    added,
    removed,
    warnings: [],
  })),
  added: Object.values(files).reduce((sum, [, added]) => sum + added, 0),
  removed: Object.values(files).reduce((sum, [, , removed]) => sum + removed, 0),
});
const end = { reason: 'done' as const, response: '', error: null, work: null };

const state: RaceState = {
  runners: [
    runner(1, {
      phase: 'ended',
      turns: 12,
      tokens: 34_567,
      files: ['a.ts', 'b.ts'],
      startedAtMs: 0,
      endedAtMs: 65_000,
      check: check(true),
      end: { ...end, work: work({ 'a.ts': ['modify', 3, 1], 'b.ts': ['create', 5, 0] }) },
    }),
    runner(2, {
      phase: 'checking',
      turns: 3,
      tokens: 900,
      files: ['a.ts'],
      refused: 1,
      startedAtMs: 0,
    }),
    runner(3, {
      phase: 'ended',
      startedAtMs: 1_000,
      endedAtMs: 2_000,
      end: { ...end, reason: 'failed', error: { kind: 'auth', message: 'The key was refused.\nMore.' } },
    }),
    runner(4),
  ],
};
const look = { nowMs: 70_000, isChecked: true, width: 100, appearance: plain };
const table = (given: RaceState, more = {}) => renderRace(given, { ...look, ...more }).map(textOfLine);

describe('the table of a race', () => {
  it('has a row for each session, and the reason of each failure below', () => {
    expect(table(state).map((row) => row.trimEnd())).toEqual([
      '# │ state    │ turns │ files │ tokens │ time │ refused │ check',
      '──┼──────────┼───────┼───────┼────────┼──────┼─────────┼───────',
      '1 │ done     │    12 │     2 │ 34,567 │ 1:05 │       0 │ passed',
      '2 │ checking │     3 │     1 │    900 │ 1:10 │       1 │',
      '3 │ failed   │     0 │     0 │      0 │ 0:01 │       0 │',
      '4 │ waiting  │     0 │     0 │      0 │ 0:00 │       0 │',
      '3 failed: The key was refused.',
    ]);
  });

  it('names the models where they differ, and has no column for a check that nobody asked for', () => {
    const mixed = { runners: [runner(1), runner(2, { model: 'other' })] };
    expect(table(mixed, { isChecked: false }).map((row) => row.trimEnd())).toEqual([
      '# │ model   │ state   │ turns │ files │ tokens │ time │ refused',
      '──┼─────────┼─────────┼───────┼───────┼────────┼──────┼────────',
      '1 │ a-model │ waiting │     0 │     0 │      0 │ 0:00 │       0',
      '2 │ other   │ waiting │     0 │     0 │      0 │ 0:00 │       0',
    ]);
  });

  it('is sentences where the window is narrow, or for a reader that speaks', () => {
    expect(table(state, { appearance: { ...plain, linear: true } })[0]).toBe(
      '1: done, 12 turns, 2 files, 34,567 tokens, 1:05, check passed',
    );
    for (let width = 20; width < 120; width += 7)
      for (const row of table(state, { width })) expect(widthOf(row)).toBeLessThanOrEqual(width);
  });
});

it('the work of all sessions stands side by side, file by file', () => {
  const second = runner(2, {
    end: { ...end, work: work({ 'a.ts': ['modify', 9, 9], 'c.ts': ['delete', 0, 4] }) },
  });
  const rows = renderWork({ runners: [state.runners[0]!, second, runner(3)] }, look).map(textOfLine);
  expect(rows.map((row) => row.trimEnd())).toEqual([
    'file │ session 1    │ session 2',
    '─────┼──────────────┼─────────────',
    'a.ts │ +3 -1        │ +9 -9',
    'b.ts │ create +5 -0 │',
    'c.ts │              │ delete +0 -4',
    'all  │ +8 -1        │ +9 -13',
  ]);
  expect(renderWork({ runners: [runner(1)] }, look)).toEqual([]);
});

describe('the news of a race, line after line', () => {
  const [first, , third] = state.runners;
  it.each<[RaceEvent, string[]]>([
    [{ type: 'runner-started', number: 1, atMs: 0 }, []],
    [{ type: 'session-begun', number: 1, id: 'x', model: 'a-model' }, ['1: working with a-model']],
    [{ type: 'check-started', number: 2 }, ['2: checking']],
    [
      { type: 'agent', number: 2, event: { type: 'notice', message: 'It is tried again.' } },
      ['2: It is tried again.'],
    ],
    [{ type: 'agent', number: 2, event: { type: 'text-delta', text: 'x' } }, []],
    [
      { type: 'runner-ended', number: 1, atMs: 65_000, end: first!.end! },
      ['1: done, 12 turns, 2 files, 34,567 tokens, 1:05, check passed'],
    ],
    [
      { type: 'runner-ended', number: 3, atMs: 2_000, end: third!.end! },
      ['3: failed, 0 turns, 0 files, 0 tokens, 0:01', '3 failed: The key was refused.'],
    ],
  ])('%j', (event, lines) => {
    expect(raceNews(event, state)).toEqual(lines);
  });
});
