import type { SessionApart, Toolbox } from '@toolwright/core';
import { deadlineIn, plural } from '@toolwright/core/front-end';

/** The changes of a session apart that wait for a review. */
export interface WaitingApart {
  id: string;
  /** What changed, in the words of a review. */
  summary: string;
  /** Files and folders. */
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
  const { length } = refused;
  const left = items.length === 0 ? plural(length, 'change') : `${length}`;
  const summary = [
    ...(items.length === 0 ? [] : [review.summary]),
    ...(length === 0 ? [] : [`${left} that can't be kept`]),
  ].join(', ');
  const lines = { added: sum('added'), removed: sum('removed') };
  return { id, summary, files, ...lines, keep: `toolwright apart keep ${id}` };
}

/** The same where work has ended: a view that equals the workspace is emptied, so that nothing of it is left on disk. */
export async function waitingAtEnd({
  apart,
  commands,
}: Pick<Toolbox, 'apart' | 'commands'>): Promise<WaitingApart | null> {
  const waiting = await waitingApart(apart);
  if (waiting || apart.id === null) return waiting;
  const jobs = await commands.shell.jobs.list();
  if (jobs.every(({ status }) => status.kind === 'ended'))
    await apart.drop('all', deadlineIn(REVIEW_LIMIT_MS));
  return null;
}

export function waitingSentence({ summary, added, removed, keep }: WaitingApart): string {
  const lines = added + removed === 0 ? '' : ` (+${added} -${removed})`;
  return `Waiting for review: ${summary}${lines}. To keep: ${keep}`;
}
