import { type Difference, formatNumber, plural, type ReplayReport } from '@toolwright/core/front-end';
import { print, printLine } from '../../base/print.js';

/** The report for people: what is otherwise, then what could not be compared. */
export function printReplay(report: ReplayReport): void {
  const { recording, differences, answered, notCompared, notes, digest } = report;
  printLine(`Session ${recording.sessionId} of ${recording.at}, ${howReplayed(report)}.`);
  if (report.tools === 'model') printSides(report);
  for (const note of notes) printLine(`Note: ${note}`);
  for (const difference of differences) printDifference(difference);
  for (const { number, tool, why } of answered) {
    const call = number === 0 ? `A further call, ${tool},` : `Call ${number}, ${tool},`;
    printLine(`${call} was answered from the recording: ${why}.`);
  }
  for (const { path, why } of notCompared) printLine(`${path} was not compared: ${why}.`);
  if (digest) printLine(`SHA-256 of the session as it went: ${digest}`);
  printLine(conclusionOf(report));
}

function howReplayed({ tools, calls, now }: ReplayReport): string {
  const counted = plural(calls, 'call');
  if (tools === 'recorded') return `replayed with its recorded results: ${counted}`;
  if (tools === 'model') return `answered by ${now.model}: ${counted}`;
  return `run again with its recorded answers: ${counted}`;
}

function printSides({ earlier, now }: ReplayReport): void {
  const rows: [string, string, string][] = [
    ['', 'then', 'now'],
    ['model', earlier.model, now.model],
    ['end', earlier.reason ?? '', now.reason ?? ''],
    ['turns', formatNumber(earlier.turns), formatNumber(now.turns)],
    ['calls', formatNumber(earlier.calls), formatNumber(now.calls)],
    ['tokens in', formatNumber(earlier.usage.inputTokens), formatNumber(now.usage.inputTokens)],
    ['tokens out', formatNumber(earlier.usage.outputTokens), formatNumber(now.usage.outputTokens)],
  ];
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]!.length));
  for (const row of rows)
    printLine(`  ${row.map((cell, column) => cell.padEnd(width(column))).join('  ')}`.trimEnd());
}

const MOST_LINES = 40;

function printDifference(difference: Difference): void {
  switch (difference.kind) {
    case 'result':
      printLine(
        `\u2260 Call ${difference.number}, ${nameOf(difference)}: the tool gives a different result.`,
      );
      printDiff(difference.diff);
      return;
    case 'decision': {
      const { earlier, now, number } = difference;
      printLine(
        `\u2260 Call ${number}, ${nameOf(difference)}: the rules decide differently: ${earlier.decision} then (${earlier.reason}), ${now.decision} now (${now.reason}).`,
      );
      return;
    }
    case 'file':
      printLine(`\u2260 ${difference.path} is different in the end: ${difference.why}.`);
      printDiff(difference.diff);
      return;
    case 'instructions':
      printLine(
        difference.what === 'system'
          ? '\u2260 The system prompt is different.'
          : `\u2260 The tool ${difference.what} is described differently to the model.`,
      );
      printDiff(difference.diff);
      return;
    case 'course':
      printLine(`\u2260 ${difference.message}`);
  }
}

function nameOf({ tool, args }: { tool: string; args: Record<string, unknown> }): string {
  const first = Object.values(args).find((value) => typeof value === 'string');
  return first === undefined ? tool : `${tool} ${first.split('\n')[0]!.slice(0, 60)}`;
}

function printDiff(diff: string): void {
  const lines = diff.trimEnd().split('\n');
  if (diff.trim() === '') return;
  print(
    lines
      .slice(0, MOST_LINES)
      .map((line) => `    ${line}`)
      .join('\n'),
  );
  if (lines.length > MOST_LINES)
    printLine(`    … ${lines.length - MOST_LINES} more lines; --json has them all`);
}

function conclusionOf({ differences, notCompared, breaksOff, tools }: ReplayReport): string {
  if (differences.length > 0) return `${plural(differences.length, 'difference')}.`;
  const all = tools === 'model' ? 'The files end as they did' : 'Everything is as it was';
  return notCompared.length > 0 || breaksOff ? `${all}, as far as it could be compared.` : `${all}.`;
}
