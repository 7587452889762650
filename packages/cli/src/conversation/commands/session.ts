import { formatAbout } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import type { SlashContext } from '../slash-context.js';

/** `/clear`: a new conversation; the one before stays on disk. */
export function clear({ agent, reopen }: SlashContext): ReportItem[] {
  if (agent.messages.length === 0) return [textItem('This is already a new conversation.')];
  reopen({ session: 'new' });
  return [textItem('A new conversation has begun. /resume goes back to the previous one.', 'good')];
}

/** `/compact`: a summary in the place of what was said so far. */
export async function compact({ agent, signal }: SlashContext, focus: string): Promise<ReportItem[]> {
  if (agent.model.provider === 'offline')
    return [textItem('The offline model writes no summaries. /clear starts over.', 'warning')];
  const before = size(agent);
  if (!(await agent.compact(focus, signal))) return [textItem('There is too little to summarise yet.')];
  return [
    textItem(
      `The conversation was summarised: about ${formatAbout(size(agent))} tokens instead of ${formatAbout(before)}.`,
      'good',
    ),
  ];
}

function size(agent: SlashContext['agent']): number {
  return agent.contextShares().reduce((sum, { tokens }) => sum + tokens, 0);
}
