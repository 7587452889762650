import { plural } from '@toolwright/core';
import { type ReportItem, textItem } from '../../actions/report.js';
import type { SlashContext } from '../slash-context.js';

/** `/diff`: the files that this conversation changed, as they were before it and as they are now. */
export async function diff({ agent, signal }: SlashContext): Promise<ReportItem[]> {
  if (agent.apart.id !== null)
    return [textItem('This conversation works apart: /review shows its changes.', 'warning')];
  const { changesHere } = await import('../../actions/undo.js');
  const mine = (await changesHere(agent, signal)).filter(({ sessionId }) => sessionId === agent.session.id);
  const changes = await agent.changes.diffOver(
    mine.map(({ changeSet }) => changeSet),
    signal,
  );
  if (changes.files.length === 0)
    return [textItem('This conversation has changed nothing that still stands.')];
  return [
    { kind: 'diff', diff: changes, tone: 'plain' },
    textItem(`${plural(changes.files.length, 'file')}. /undo takes one change back, /rewind several.`),
  ];
}
