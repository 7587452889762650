import type { ReportItem } from '../actions/report.js';
import { safe, safeDiff } from '../app/safe-text.js';
import type { NewBlock, Tone } from '../app/state.js';
import type { Front } from '../ui/front.js';

export function say(front: Pick<Front, 'dispatch'>, text: string, tone: Tone): void {
  const block: NewBlock = { kind: 'text', text: safe(text), tone };
  front.dispatch({ type: 'block-added', block });
}

/** A report of an action as blocks of the conversation. */
export function reportBlocks(report: readonly ReportItem[]): NewBlock[] {
  return report.map((item) => {
    if (item.kind === 'shares') return { kind: 'shares', shares: item.shares };
    return item.kind === 'diff'
      ? { kind: 'diff', diff: safeDiff(item.diff) }
      : { kind: 'text', text: safe(item.text), tone: item.tone };
  });
}
