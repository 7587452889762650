import type { Choice, Review, ReviewHunk } from '@toolwright/core';
import type { Front } from '../ui/front.js';
import { fileQuestion, hunkQuestion, reviewQuestion } from './review-questions.js';

export interface AskReviewOptions {
  title: string;
  show(path: string): string;
  /** Parts of a file that can be kept on their own; null where only the whole can. */
  hunks(path: string): Promise<ReviewHunk[] | null>;
  ask: Front['ask'];
  signal: AbortSignal;
}

/** Asks what to keep of the changes; an empty choice drops them all. */
export async function askReview(review: Review, options: AskReviewOptions): Promise<Choice | 'all'> {
  const { ask, signal } = options;
  const reply = await ask(reviewQuestion(review, options), signal);
  if (reply?.key === 'y') return 'all';
  return reply?.key === 's' ? chooseFiles(review, options) : new Map();
}

async function chooseFiles({ items }: Review, options: AskReviewOptions): Promise<Choice> {
  const { ask, signal, show } = options;
  const choice = new Map<string, 'whole' | number[]>();
  for (const [index, item] of items.entries()) {
    const hunks = (await options.hunks(item.path)) ?? [];
    const place = { number: index + 1, count: items.length };
    const reply = await ask(fileQuestion(item, { ...place, show, hunks: hunks.length }), signal);
    if (!reply) return new Map();
    if (reply.key === 'd') break;
    if (reply.key === 'a') {
      for (const { path } of items.slice(index)) choice.set(path, 'whole');
      break;
    }
    if (reply.key === 'y') choice.set(item.path, 'whole');
    if (reply.key !== 'p') continue;
    const chosen = await chooseHunks(hunks, show(item.path), options);
    if (chosen.length > 0) choice.set(item.path, chosen);
  }
  return choice;
}

async function chooseHunks(
  hunks: readonly ReviewHunk[],
  name: string,
  { ask, signal }: AskReviewOptions,
): Promise<number[]> {
  const chosen: number[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const reply = await ask(hunkQuestion(hunk, { name, number: index + 1, count: hunks.length }), signal);
    if (!reply) return [];
    if (reply.key === 'y') chosen.push(index);
  }
  return chosen;
}
