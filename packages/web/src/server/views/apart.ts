import type { Toolbox } from '@toolwright/core';
import {
  createWorkspace,
  type KeptWork,
  keptWords,
  NOTHING_KEPT,
  oneAtATime,
  openSessionsApart,
  plural,
  type ReviewHunk,
} from '@toolwright/core/front-end';
import type { ApartRow, ApartView, KeptView, WebApi } from '../../wire/wire.js';
import { Problem } from '../http/answer-requests.js';
import type { WebNeeds } from '../needs.js';
import { withTools } from './changes.js';

/** The work apart that waits for a review. */
export async function listApart({ state, workspace }: WebNeeds): Promise<ApartRow[]> {
  if (!(await state.exists())) return [];
  const listed = await (await openSessionsApart(state)).list();
  return listed.map(({ id, about, problem, heldBy, size }) => ({
    id,
    session: about?.session ?? '',
    workspace: about?.workspace ?? '',
    prompt: about?.prompt ?? '',
    startedAt: about?.startedAt ?? '',
    files: size.entries,
    bytes: size.bytes,
    heldBy,
    problem,
    isHere: about !== null && folderOf(about.workspace) === workspace,
  }));
}

function folderOf(path: string): string | null {
  try {
    return createWorkspace({ directory: path }).directory;
  } catch {
    return null;
  }
}

export async function readApart(needs: WebNeeds, id: string, signal: AbortSignal): Promise<ApartView> {
  return withApart(needs, id, signal, async ({ apart, host }, about) => {
    const { review, refused } = await apart.review(signal);
    const names = Object.fromEntries(review.items.map(({ path }) => [path, host.workspace.show(path)]));
    return { id, prompt: about.prompt, session: about.session, review, names, refused };
  });
}

export async function readHunks(
  needs: WebNeeds,
  { id, path }: { id: string; path: string },
  signal: AbortSignal,
): Promise<ReviewHunk[] | null> {
  return withApart(needs, id, signal, async ({ apart }) => (await apart.review(signal)).hunks(path));
}

export async function keepApart(
  needs: WebNeeds,
  { id, digest, choice }: WebApi['undo/keep']['takes'],
  signal: AbortSignal,
): Promise<KeptView> {
  return withApart(needs, id, signal, async (toolbox) => {
    const kept = await toolbox.apart.keep(
      { digest, choice: choice === 'all' ? 'all' : new Map(choice) },
      signal,
    );
    return {
      text: wordsOfKept(kept, toolbox),
      change: kept.changeSet?.id ?? null,
      waiting: await settleRest(toolbox, signal),
    };
  });
}

export async function dropApart(
  needs: WebNeeds,
  { id, paths }: WebApi['undo/drop']['takes'],
  signal: AbortSignal,
): Promise<KeptView> {
  return withApart(needs, id, signal, async (toolbox) => {
    await toolbox.apart.drop(paths, signal);
    const waiting = paths === 'all' ? 0 : await settleRest(toolbox, signal);
    const what = paths === 'all' ? 'All changes were dropped' : `${plural(paths.length, 'change')} dropped`;
    return { text: [`${what}.`], change: null, waiting };
  });
}

function wordsOfKept(kept: KeptWork, { host }: Toolbox): string[] {
  const { merged, leftOut, summary } = keptWords(kept, host.workspace.show);
  return [summary === null ? NOTHING_KEPT : `Kept: ${summary}.`, ...merged, ...leftOut];
}

/** A session apart that has nothing left is removed. */
async function settleRest({ apart }: Toolbox, signal: AbortSignal): Promise<number> {
  const { review, refused } = await apart.review(signal);
  const count = review.items.length + refused.length;
  if (count === 0) await apart.drop('all', signal);
  return count;
}

async function withApart<Result>(
  needs: WebNeeds,
  id: string,
  signal: AbortSignal,
  work: (toolbox: Toolbox, about: { prompt: string; session: string }) => Promise<Result>,
): Promise<Result> {
  const about = await (await openSessionsApart(needs.state)).about(id);
  if (folderOf(about.workspace) !== needs.workspace)
    throw new Problem(`This work was done in ${about.workspace}. Start toolwright web there to review it.`);
  const include = about.roots.filter((root) => root !== about.workspace);
  return oneAfterTheOther(() =>
    withTools(needs, { changes: true, include }, async (toolbox) => {
      signal.throwIfAborted();
      await toolbox.apart.begin({ id }, signal);
      return work(toolbox, about);
    }),
  );
}

/** Work apart belongs to one at a time, and a page asks for several things at once. */
const oneAfterTheOther = oneAtATime();
