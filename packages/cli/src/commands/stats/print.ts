import { formatNumber, plural, type Stats, type ToolTotals, type Totals } from '@toolwright/core';
import { printLine } from '../../base/print.js';

/** Tables for people: by day with a plot, by model, by tool. */
export function printStats(stats: Stats, columns: number): void {
  const { total } = stats;
  if (total.sessions === 0) {
    printLine(`No sessions from ${stats.from} to ${stats.to}.`);
    return;
  }
  printLine(
    `${stats.from} to ${stats.to}: ${plural(total.sessions, 'session')}, ${plural(total.prompts, 'prompt')}, ${plural(total.calls, 'call')}, ${formatNumber(tokensOf(total))} tokens${costText(total)}`,
  );
  printLine(
    `Questions: ${formatNumber(total.questions)}, ${formatNumber(total.agreed)} answered with yes, open for ${duration(total.questionMs)}. Changes: ${formatNumber(total.changes)} made, ${formatNumber(total.undone)} undone.`,
  );
  printTable('day', sorted(stats.days), columns);
  printTable('model', byTokens(stats.models), columns);
  printTools(stats.tools, columns);
}

const heads = ['tokens', 'cost', 'model time', 'calls', 'failed', 'questions', 'changes', 'undone'];

function printTable(name: string, rows: readonly (readonly [string, Totals])[], columns: number): void {
  const most = Math.max(...rows.map(([, totals]) => tokensOf(totals)));
  printRows(
    [name, ...heads],
    rows.map(([key, totals]) => [
      key,
      formatNumber(tokensOf(totals)),
      totals.cost > 0 ? dollars(totals.cost) : '–',
      duration(totals.modelMs),
      ...[totals.calls, totals.failedCalls, totals.questions, totals.changes, totals.undone].map(
        formatNumber,
      ),
    ]),
    rows.map(([, totals]) => share(tokensOf(totals), most)),
    columns,
  );
}

function printTools(tools: Record<string, ToolTotals>, columns: number): void {
  const rows = Object.entries(tools).sort(([, left], [, right]) => right.calls - left.calls);
  if (rows.length === 0) return;
  const most = Math.max(...rows.map(([, { calls }]) => calls));
  printRows(
    ['tool', 'calls', 'failed', 'refused', 'questions', 'median', 'in all'],
    rows.map(([name, { calls, failed, denied, questions, medianMs, totalMs }]) => [
      name,
      ...[calls, failed, denied, questions].map(formatNumber),
      duration(medianMs),
      duration(totalMs),
    ]),
    rows.map(([, { calls }]) => share(calls, most)),
    columns,
  );
}

const LONGEST_BAR = 24;
const SHORTEST_BAR = 4;

/** A table with a bar at the end of each row, as long as there is room for it. */
function printRows(head: readonly string[], rows: string[][], shares: number[], columns: number): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ');
  const room = columns - widths.reduce((sum, width) => sum + width + 2, 0);
  printLine('');
  printLine(line(head));
  rows.forEach((row, index) => {
    const bar = room >= SHORTEST_BAR ? `  ${barOf(shares[index]!, Math.min(room, LONGEST_BAR))}` : '';
    printLine(`${line(row)}${bar}`.trimEnd());
  });
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function barOf(part: number, width: number): string {
  const units = Math.round(part * width * 8);
  const bar = '█'.repeat(Math.floor(units / 8)) + eighths[units % 8]!;
  return bar === '' && part > 0 ? '▏' : bar;
}

function share(value: number, most: number): number {
  return most === 0 ? 0 : value / most;
}

function tokensOf({ inputTokens, outputTokens }: Totals): number {
  return inputTokens + outputTokens;
}

function sorted(days: Record<string, Totals>): [string, Totals][] {
  return Object.entries(days).sort(([left], [right]) => (left < right ? -1 : 1));
}

function byTokens(models: Record<string, Totals>): [string, Totals][] {
  return Object.entries(models).sort(([, left], [, right]) => tokensOf(right) - tokensOf(left));
}

function costText({ cost, unpriced }: Totals): string {
  const unknown = unpriced > 0 ? `; the price of ${plural(unpriced, 'answer')} is not known` : '';
  return cost > 0 ? `, ${dollars(cost)}${unknown}` : unknown;
}

function dollars(cost: number): string {
  return `$${cost.toFixed(cost < 0.995 ? 3 : 2)}`;
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
