import { type Message, type PastChange, textOf } from '@toolwright/core';

/** An entry of a journal, as far as going back needs it. */
export type PointEntry =
  | { type: 'message'; message: Message; at: string }
  | { type: 'history'; messages: Message[]; at: string }
  | { type: 'changes'; changeSet: { id: string }; at: string }
  | {
      type:
        | 'session-start'
        | 'parked'
        | 'usage'
        | 'call-start'
        | 'call-decision'
        | 'call-hook'
        | 'call-end'
        | 'hook';
      at: string;
    };

/** A prompt of the conversation that one can go back to: to the moment before it. */
export interface RewindPoint {
  /** Messages before the prompt. */
  index: number;
  text: string;
  /** Empty where the journal does not tell. */
  at: string;
  /** Change sets that were made since, oldest first. */
  changes: string[];
}

/** The prompts of a conversation, oldest first, with what was changed after each. */
export function rewindPoints(messages: readonly Message[], entries: readonly PointEntry[]): RewindPoint[] {
  const points = messages.flatMap((message, index): RewindPoint[] => {
    const text = promptText(message);
    return text === null ? [] : [{ index, text, at: '', changes: [] }];
  });
  // The journal has more than the conversation after a summary or an earlier rewind: the latest prompts are the same in both.
  let at = points.length - 1;
  let since: string[] = [];
  for (const entry of entries.toReversed()) {
    if (entry.type === 'changes') since = [entry.changeSet.id, ...since];
    if (entry.type !== 'message' || at < 0) continue;
    const point = points[at]!;
    if (promptText(entry.message) !== point.text) continue;
    point.at = entry.at;
    point.changes = since;
    at -= 1;
  }
  return points;
}

/** The words of a prompt; null for a message that only carries results. */
export function promptText({ role, parts }: Message): string | null {
  if (role !== 'user' || parts.some((part) => part.functionResponse)) return null;
  const first = parts.find((part) => part.text);
  return first ? textOf([first]).trim() : null;
}

/** The changes after a point that still stand, newest first. */
export function changesSince({ changes }: RewindPoint, all: readonly PastChange[]): PastChange[] {
  const wanted = new Set(changes);
  return all
    .filter(({ changeSet, undoes, undoneBy }) => wanted.has(changeSet.id) && !undoes && !undoneBy)
    .toReversed();
}
