import type { ReportItem } from '../actions/report.js';
import { safe, safeDiff } from '../app/safe-text.js';
import type { NewBlock } from '../app/state.js';

/** A report of an action as blocks of the conversation. */
export function reportBlocks(report: readonly ReportItem[]): NewBlock[] {
  return report.map((item) =>
    item.kind === 'diff'
      ? { kind: 'diff', diff: safeDiff(item.diff) }
      : { kind: 'text', text: safe(item.text), tone: item.tone },
  );
}
