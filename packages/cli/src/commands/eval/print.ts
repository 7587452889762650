import {
  comparisonSentences,
  type DoneEval,
  type EvalSummary,
  formatNumber,
  summariesOf,
  summarise,
} from '@toolwright/core/front-end';
import { printLine } from '../../base/print.js';

const heads = ['task', 'passed', '95 % interval', 'turns', 'tokens', 'cost', 'seconds'];

/** A row for each task, and one for all; then the comparison, where there is one. */
export function printEval({ runs, comparison, report }: DoneEval): void {
  const rows = [...summariesOf(runs), summarise('all', runs)].map(rowOf);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!))).join('  ');
  printLine(line(heads));
  for (const row of rows) printLine(line(row));
  printLine('');
  if (comparison) printComparison(comparison);
  printLine(`The report is in ${report}`);
}

function printComparison(comparison: NonNullable<DoneEval['comparison']>): void {
  const { all, tasks } = comparisonSentences(comparison);
  printLine('Against the earlier evaluation:');
  for (const sentence of [...all, ...tasks.map((task) => task.sentence)]) printLine(`  ${sentence}`);
  printLine('');
}

function rowOf({ name, runs, passed, rate, turns, tokens, cost, seconds }: EvalSummary): string[] {
  const percent = (share: number): string => `${Math.round(share * 100)}`;
  return [
    name,
    `${passed} of ${runs}`,
    `${percent(rate.low)} – ${percent(rate.high)} %`,
    spread(turns.mean, turns.deviation, 1),
    spread(tokens.mean, tokens.deviation, 0),
    cost ? `$${cost.mean.toFixed(4)}` : '–',
    spread(seconds.mean, seconds.deviation, 1),
  ];
}

function spread(mean: number, deviation: number, digits: number): string {
  const write = (value: number): string =>
    digits === 0 ? formatNumber(Math.round(value)) : value.toFixed(digits);
  return deviation > 0 ? `${write(mean)} ± ${write(deviation)}` : write(mean);
}

export function summaryJson({ runs, comparison, report }: DoneEval) {
  return { v: 1, report, total: summarise('all', runs), tasks: summariesOf(runs), comparison, runs };
}
