import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import type { EvalComparison, Interval } from './results.js';

/** If fewer runs than these ended differently, even all of them one way, that is too likely by chance (mid-P of McNemar's test: four give 0.06). */
const LEAST_OTHERWISE = 5;

/** The comparison in sentences: what all runs tell, then each task that passed more or less often. */
export function comparisonSentences({ pairs, otherwise, passed, tokens, seconds, tasks }: EvalComparison): {
  all: string[];
  tasks: { sentence: string; isBetter: boolean }[];
} {
  const points = (value: number): string => `${(value * 100).toFixed(1)} points`;
  const few =
    otherwise === 0
      ? 'every run ended as before'
      : `may be chance, as only ${plural(otherwise, 'run')} ended differently`;
  const spent = written(seconds, (value) => value.toFixed(1));
  return {
    all: [
      `${plural(pairs, 'run')}, each compared with the run of the same task and number.`,
      `passed: ${passed && otherwise < LEAST_OTHERWISE ? `${written(passed, points)}: ${few}` : judged(passed, points)}`,
      `tokens: ${judged(tokens, (value) => formatNumber(Math.round(value)))}`,
      `seconds: ${spent}${seconds ? ', which depends on what else the machine did' : ''}`,
    ],
    tasks: tasks
      .filter(({ difference }) => difference.value !== 0)
      .map(({ name, earlier, now }) => ({
        sentence: `${name}: ${percent(earlier.value)} → ${percent(now.value)}`,
        isBetter: now.value > earlier.value,
      })),
  };
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function judged(interval: Interval | null, write: (value: number) => string): string {
  return interval ? `${written(interval, write)}: ${verdictOf(interval)}` : written(interval, write);
}

/** A difference counts when its interval leaves out zero. */
function verdictOf({ low, high }: Interval): string {
  if (low === 0 && high === 0) return 'no difference';
  return low > 0 || high < 0 ? 'a difference' : 'may be chance';
}

function written(interval: Interval | null, write: (value: number) => string): string {
  if (!interval) return 'too few runs to tell';
  const plus = (each: number): string => {
    const text = write(each);
    // What is rounded to nothing has no sign.
    return /[1-9]/.test(text) ? `${each > 0 ? '+' : ''}${text}` : text.replace('-', '');
  };
  return `${plus(interval.value)} (95 % interval ${plus(interval.low)} to ${plus(interval.high)})`;
}
