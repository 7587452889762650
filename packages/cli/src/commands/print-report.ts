import { terminalSafe } from '@toolwright/core/front-end';
import type { ReportItem } from '../actions/report.js';
import { sharesText } from '../app/shares.js';
import { displayText } from '../base/display-text.js';

/** A report of an action as plain text; what went wrong goes to standard error. */
export function printReport(report: readonly ReportItem[]): void {
  for (const item of report) {
    const text = textOf(item);
    (item.tone === 'bad' ? process.stderr : process.stdout).write(`${text}\n`);
  }
}

function textOf(item: ReportItem): string {
  if (item.kind === 'shares') return sharesText(item.shares);
  return item.kind === 'diff' ? displayText(item.diff) : terminalSafe(item.text);
}
