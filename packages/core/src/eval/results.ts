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

const RESAMPLES = 2_000;

/** The difference of two means with the bounds of its 95 % interval, found by drawing the runs again and again. */
export function differenceOfMeans(from: readonly number[], to: readonly number[]): Interval {
  const random = seeded(from.length * 7_919 + to.length);
  const draw = (values: readonly number[]): number =>
    mean(values.map(() => values[Math.floor(random() * values.length)]!));
  const differences = Array.from({ length: RESAMPLES }, () => draw(to) - draw(from)).sort((a, b) => a - b);
  const at = (share: number): number => differences[Math.floor(share * (RESAMPLES - 1))]!;
  return { value: mean(to) - mean(from), low: at(0.025), high: at(0.975) };
}

/** The same numbers in every run, so that a report can be made again. */
function seeded(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
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
  /** The differences from the earlier one to this one. */
  passed: Interval;
  tokens: Interval;
  seconds: Interval;
  /** Tasks of both, with the share of passed runs then and now. */
  tasks: { name: string; earlier: Interval; now: Interval; difference: Interval }[];
}

/** Compares the tasks that both have. */
export function compareRuns(earlier: readonly EvalRun[], now: readonly EvalRun[]): EvalComparison {
  const names = new Set(earlier.map(({ task }) => task));
  const shared = new Set(now.map(({ task }) => task).filter((task) => names.has(task)));
  const [before, after] = [earlier, now].map((runs) => runs.filter(({ task }) => shared.has(task))) as [
    EvalRun[],
    EvalRun[],
  ];
  const rateOf = (runs: readonly EvalRun[]): Interval => summarise('', runs).rate;
  const both = (value: (run: EvalRun) => number): Interval =>
    differenceOfMeans(before.map(value), after.map(value));
  return {
    passed: differenceOfShares(rateOf(before), rateOf(after)),
    tokens: both(tokensOf),
    seconds: both(({ durationMs }) => durationMs / 1_000),
    tasks: [...shared].sort().map((name) => {
      const of = (runs: EvalRun[]): Interval => rateOf(runs.filter(({ task }) => task === name));
      const [then, present] = [of(before), of(after)];
      return { name, earlier: then, now: present, difference: differenceOfShares(then, present) };
    }),
  };
}
