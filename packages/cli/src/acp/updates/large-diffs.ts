import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Agent, Display } from '@toolwright/core';
import { deadlineIn, entriesFrom } from '@toolwright/core/front-end';
import { drawDiff, errorContent } from './tool-call.js';

/** A diff that was too large for the model's display is told there by its number of lines. */
export function isToldInWords(display: Display): boolean {
  if (typeof display === 'string' || display.kind !== 'diff') return false;
  return display.files.some(({ unified, added, removed }) => !unified.includes('\n') && added + removed > 0);
}

const READ_LIMIT_MS = 20_000;
const MOST_CHARACTERS = 8_000_000;

/** The change that a call has made, whole, as its journal and the store of versions have it; null where they do not. */
export async function largeDiff(
  toolCallId: string,
  { session, showChange }: Pick<Agent, 'session' | 'showChange'>,
  absolute: (path: string) => string,
): Promise<SessionUpdate | null> {
  const limit = deadlineIn(READ_LIMIT_MS);
  const { entries } = await entriesFrom(session.journalPath, 0, limit);
  const end = entries.find((entry) => entry.type === 'call-end' && entry.callId === toolCallId);
  if (end?.type !== 'call-end') return null;
  const made = entries.find((entry) => entry.type === 'changes' && entry.changeSet.id === end.changeSet);
  if (made?.type !== 'changes') return null;
  const { diff } = await showChange(made.changeSet, limit);
  const { content, locations } = drawDiff(diff, absolute, MOST_CHARACTERS);
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    content: [...content, ...errorContent(end.newErrors)],
    locations,
  };
}
