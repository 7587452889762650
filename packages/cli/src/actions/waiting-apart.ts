import { deadlineIn, plural, type SessionApart } from '@toolwright/core';

/** The changes of a session apart that wait for a review. */
export interface WaitingApart {
  id: string;
  files: number;
  /** Lines. */
  added: number;
  removed: number;
  /** The command that keeps them. */
  keep: string;
}

const REVIEW_LIMIT_MS = 120_000;

/** Null where nothing waits; a cancelled run is counted too. */
export async function waitingApart(apart: SessionApart): Promise<WaitingApart | null> {
  const { id } = apart;
  if (id === null) return null;
  const { review, refused } = await apart.review(deadlineIn(REVIEW_LIMIT_MS));
  const { items } = review;
  const files = items.length + refused.length;
  if (files === 0) return null;
  const sum = (count: 'added' | 'removed'): number => items.reduce((total, item) => total + item[count], 0);
  return { id, files, added: sum('added'), removed: sum('removed'), keep: `toolwright apart keep ${id}` };
}

export function waitingSentence({ files, added, removed, keep }: WaitingApart): string {
  const verb = files === 1 ? 'waits' : 'wait';
  return `${plural(files, 'changed file')} (+${added} -${removed}) ${verb} apart for a review. To keep: ${keep}`;
}
