import type { AgentResult } from '../agent/events.js';

/** A run of a task: a line of `results.jsonl`. */
export interface EvalRun {
  v: 1;
  task: string;
  /** The number, counted from 1. */
  number: number;
  passed: boolean;
  /** The end of the test. */
  ended: string;
  /** The end of what the test printed. */
  output: string;
  model: string;
  reason: AgentResult['reason'] | null;
  turns: number;
  calls: number;
  /** Calls that were refused. */
  refused: number;
  inputTokens: number;
  outputTokens: number;
  /** Dollars; null where the price is not known. */
  cost: number | null;
  durationMs: number;
  error: string | null;
}

/** A number over several runs: its mean, and how far the runs lie apart. */
export interface Spread {
  mean: number;
  /** Standard deviation. */
  deviation: number;
  least: number;
  most: number;
}

/** The runs of one evaluation in numbers. */
export interface EvalSummary {
  name: string;
  runs: number;
  passed: number;
  /** Share of runs that passed, with the bounds of its 95 % confidence interval. */
  rate: Interval;
  turns: Spread;
  calls: Spread;
  tokens: Spread;
  /** Null where no price is known. */
  cost: Spread | null;
  seconds: Spread;
}

/** A value with the bounds of its confidence interval of 95 %. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** Standard normal quantile of 95 % from both sides. */
const Z = 1.959964;

/** Wilson's interval, which also holds for few runs and for shares near 0 and 1. */
export function wilson(passed: number, runs: number): Interval {
  if (runs === 0) return { value: 0, low: 0, high: 1 };
  const share = passed / runs;
  const scale = 1 + Z ** 2 / runs;
  const middle = (share + Z ** 2 / (2 * runs)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / runs + Z ** 2 / (4 * runs ** 2));
  return { value: share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The difference of two shares, by Newcombe's method over Wilson's intervals. */
export function differenceOfShares(from: Interval, to: Interval): Interval {
  const value = to.value - from.value;
  return {
    value,
    low: value - Math.hypot(to.value - to.low, from.high - from.value),
    high: value + Math.hypot(to.high - to.value, from.value - from.low),
  };
}

/** Two runs of the same task and number: true where the earlier one passed, and where the later one did. */
export type PassedPair = readonly [then: boolean, now: boolean];

/** The difference of two shares over runs in pairs, by Newcombe's method for them (1998, his tenth): Wilson's intervals, and how far the pairs agree. */
export function differenceOfPairedShares(pairs: readonly PassedPair[]): Interval {
  const count = (then: boolean, now: boolean): number =>
    pairs.filter((pair) => pair[0] === then && pair[1] === now).length;
  const [both, onlyNow, onlyThen, neither] = [
    count(true, true),
    count(false, true),
    count(true, false),
    count(false, false),
  ] as const;
  const before = wilson(both + onlyThen, pairs.length);
  const after = wilson(both + onlyNow, pairs.length);
  const agreement = both * neither - onlyNow * onlyThen;
  const margins = (both + onlyNow) * (onlyThen + neither) * (both + onlyThen) * (onlyNow + neither);
  const continued = agreement > 0 ? Math.max(0, agreement - pairs.length / 2) : agreement;
  const correlation = margins === 0 ? 0 : continued / Math.sqrt(margins);
  const value = after.value - before.value;
  const reach = (one: number, other: number): number =>
    Math.sqrt(Math.max(0, one ** 2 - 2 * correlation * one * other + other ** 2));
  return {
    value,
    low: value - reach(after.value - after.low, before.high - before.value),
    high: value + reach(after.high - after.value, before.value - before.low),
  };
}

/** The mean of differences of pairs with Student's interval; null for a single one, which tells nothing of chance. */
export function meanOfDifferences(differences: readonly number[]): Interval | null {
  if (differences.length < 2) return null;
  const { mean: value, deviation } = spreadOf(differences);
  const half = (studentQuantile(differences.length - 1) * deviation) / Math.sqrt(differences.length);
  return { value, low: value - half, high: value + half };
}

/** Student's quantiles of 95 % from both sides, for 1 to 10 degrees of freedom. */
const fewDegrees = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** Beyond the table by its expansion, which is exact to the second digit there. */
function studentQuantile(degrees: number): number {
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * degrees ** 2);
  return fewDegrees[degrees - 1] ?? Z + (Z ** 3 + Z) / (4 * degrees) + second;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function spreadOf(values: readonly number[]): Spread {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return {
    mean: middle,
    deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0,
    least: Math.min(...values),
    most: Math.max(...values),
  };
}

/** The runs of an evaluation in numbers. */
export function summarise(name: string, runs: readonly EvalRun[]): EvalSummary {
  const passed = runs.filter((run) => run.passed).length;
  const costs = runs.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    name,
    runs: runs.length,
    passed,
    rate: wilson(passed, runs.length),
    turns: spreadOf(runs.map(({ turns }) => turns)),
    calls: spreadOf(runs.map(({ calls }) => calls)),
    tokens: spreadOf(runs.map(tokensOf)),
    cost: costs.length > 0 ? spreadOf(costs) : null,
    seconds: spreadOf(runs.map(({ durationMs }) => durationMs / 1_000)),
  };
}

export function tokensOf({ inputTokens, outputTokens }: EvalRun): number {
  return inputTokens + outputTokens;
}

/** Summaries by task, in the order of their names. */
export function summariesOf(runs: readonly EvalRun[]): EvalSummary[] {
  const names = [...new Set(runs.map(({ task }) => task))].sort();
  return names.map((name) =>
    summarise(
      name,
      runs.filter(({ task }) => task === name),
    ),
  );
}

/** Two evaluations beside each other. */
export interface EvalComparison {
  /** Runs that both have: of the same task and number. */
  pairs: number;
  /** Pairs of which one run passed and the other failed. */
  otherwise: number;
  /** The differences from the earlier one to this one, over the pairs; null where they are too few. */
  passed: Interval | null;
  tokens: Interval | null;
  seconds: Interval | null;
  /** Tasks of both, with the share of passed runs then and now. */
  tasks: { name: string; earlier: Interval; now: Interval; difference: Interval }[];
}

/** Compares the runs that both have. What lies between tasks does not count: each run is held against one of the same task. */
export function compareRuns(earlier: readonly EvalRun[], now: readonly EvalRun[]): EvalComparison {
  const nameOf = ({ task, number }: EvalRun): string => `${task} ${number}`;
  const then = new Map(earlier.map((run) => [nameOf(run), run]));
  const pairs = now.flatMap((run): [EvalRun, EvalRun][] => {
    const before = then.get(nameOf(run));
    return before ? [[before, run]] : [];
  });
  const both = (value: (run: EvalRun) => number): Interval | null =>
    meanOfDifferences(pairs.map(([before, after]) => value(after) - value(before)));
  const tasks = [...new Set(pairs.map(([, { task }]) => task))].sort();
  return {
    pairs: pairs.length,
    otherwise: pairs.filter(([before, after]) => before.passed !== after.passed).length,
    passed:
      pairs.length < 2
        ? null
        : differenceOfPairedShares(pairs.map(([before, after]) => [before.passed, after.passed])),
    tokens: both(tokensOf),
    seconds: both(({ durationMs }) => durationMs / 1_000),
    tasks: tasks.map((name) => {
      const own = pairs.filter(([{ task }]) => task === name);
      const rateOf = (at: 0 | 1): Interval =>
        wilson(own.filter((pair) => pair[at].passed).length, own.length);
      const [before, after] = [rateOf(0), rateOf(1)];
      return { name, earlier: before, now: after, difference: differenceOfShares(before, after) };
    }),
  };
}
