import type { Choice, Review, ReviewHunk, ReviewItem } from '@toolwright/core/front-end';
import type { Front } from '../ui/front.js';
import {
  fileQuestion,
  hunkQuestion,
  type ReviewQuestionOptions,
  reviewQuestion,
} from './review-questions.js';

export interface AskReviewOptions extends ReviewQuestionOptions {
  /** Parts of a file that can be kept on their own; null where only the whole can. */
  hunks(path: string): Promise<ReviewHunk[] | null>;
  ask: Front['ask'];
  signal: AbortSignal;
}

/** Asks what to keep of the changes; an empty choice keeps none. */
export async function askReview(review: Review, options: AskReviewOptions): Promise<Choice | 'all'> {
  const choice = await askReviewOrDrop(review, options);
  return choice === 'drop' ? new Map() : choice;
}

/** The same where dropping all is another choice than keeping none. */
export async function askReviewOrDrop(
  review: Review,
  options: AskReviewOptions,
): Promise<Choice | 'all' | 'drop'> {
  const { ask, signal } = options;
  const reply = await ask(reviewQuestion(review, options), signal);
  if (reply?.key === 'y') return 'all';
  if (reply?.key === 'd') return 'drop';
  return reply?.key === 's' ? chooseFiles(review, options) : new Map();
}

async function chooseFiles({ items }: Review, options: AskReviewOptions): Promise<Choice> {
  const { ask, signal, show } = options;
  const choice = new Map<string, 'whole' | number[]>();
  const groups = askedTogether(items);
  const keepWhole = (kept: readonly ReviewItem[]): void => {
    for (const { path } of kept) choice.set(path, 'whole');
  };
  for (const [index, group] of groups.entries()) {
    const [{ path }] = group as [ReviewItem];
    const hunks = (await options.hunks(path)) ?? [];
    const place = { number: index + 1, count: groups.length };
    const reply = await ask(fileQuestion(group, { ...place, show, hunks: hunks.length }), signal);
    if (!reply) return new Map();
    if (reply.key === 'd') break;
    if (reply.key === 'a') {
      keepWhole(groups.slice(index).flat());
      break;
    }
    if (reply.key === 'y') keepWhole(group);
    if (reply.key !== 'p') continue;
    const chosen = await chooseHunks(hunks, show(path), options);
    if (chosen.length > 0) choice.set(path, chosen);
  }
  return choice;
}

/** Each change alone, but all of a git repository at the place of its first one. */
function askedTogether(items: readonly ReviewItem[]): ReviewItem[][] {
  const groups = new Map<string, ReviewItem[]>();
  for (const item of items) {
    const key = item.repository ?? item.path;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()];
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
