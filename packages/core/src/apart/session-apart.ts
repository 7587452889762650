import { isToolError, SettingsError } from '@toolwright/machine/base/errors.js';
import type { Apart } from '@toolwright/machine/changes/apart/open-apart.js';
import type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import type { Choice } from '@toolwright/machine/changes/review/choose.js';
import type { ShownChange } from '@toolwright/machine/changes/show-change.js';
import { stagedRoots } from '@toolwright/machine/changes/staged-run/possible.js';
import type { ApartFolder } from '@toolwright/machine/host/apart/apart-folders.js';
import type { View } from '@toolwright/machine/host/staging/view.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { PastChange } from '../session/past-changes.js';
import type { Session } from '../session/session.js';
import { createMadeChanges, gatherApart, type MadeChanges } from './gathered-apart.js';
import type { ChangesInView, GatheredChanges } from './gathered-changes.js';
import { openViewIn, openWork, type ViewedWork, type WorkNeeds } from './work-in-view.js';

/** A session on a copy-on-write view of its workspace, which keeps its bytes until the user keeps something of the view. */
export interface SessionApart {
  /** Null while the session works in the workspace itself. */
  readonly id: string | null;
  /** Moves all work of the session to the view. Throws with a sentence why that can't be. */
  begin(options: BeginApart, signal: AbortSignal): Promise<void>;
  /** Writes down the prompt it begins with, for lists, unless there is one already. */
  notePrompt(prompt: string): Promise<void>;
  /** The changes that await review. */
  review(signal: AbortSignal): Promise<ReviewedWork>;
  /** Keeps chosen changes of a review, which `digest` names, as one change set of the workspace. Jobs must have ended. */
  keep(kept: KeepApart, signal: AbortSignal): Promise<KeptWork>;
  /** Takes changes out of the view for good: those of some paths and of everything they need, or all. */
  drop(paths: readonly string[] | 'all', signal: AbortSignal): Promise<void>;
}

/** The options of a new session apart. */
export interface BeginApart {
  /** The prompt it begins with, for lists. */
  prompt?: string;
  /** The id of a session apart that goes on. */
  id?: string;
  /** Called before a plain copy is made because no overlay can be used; the sentence gives the reason and the cost. */
  say?(sentence: string): void;
}

/** The changes of a session apart to keep. */
export interface KeepApart {
  digest: string;
  choice: Choice | 'all';
  /** True to keep nothing when some of it can't be kept: nobody looks at what is left out. */
  allOrNothing?: boolean;
}

export interface SessionApartNeeds extends WorkNeeds {
  session: Session;
  /** Ends servers that see the workspace itself; they start again in the view when they are needed. */
  stopServers(): Promise<void>;
}

/** The members of a session apart that only the toolbox needs. */
export interface OpenSessionApart extends SessionApart {
  /** The changes of the view once there is one. */
  readonly changes: Changes;
  planUndo(
    change: Pick<PastChange, 'changeSet' | 'apart'>,
    signal: AbortSignal,
  ): ReturnType<Changes['planUndo']>;
  showChange(changeSet: ChangeSet, signal: AbortSignal): Promise<ShownChange>;
  /** A scheduler before whose batches the view is renewed: calls see what others did to the workspace meanwhile. */
  renewedBefore(scheduler: Scheduler): Scheduler;
  /** Gathers the changes of calls, as those of one call: on a view, or in that of the session where it works apart. */
  gather(say: (sentence: string) => void, signal: AbortSignal): Promise<GatheredChanges>;
  close(): Promise<void>;
}

/** A view that was renewed so lately counts as fresh: what others do meanwhile is merged when it is kept. */
const FRESH_MS = 1_000;

interface Opened {
  folder: ApartFolder;
  view: View;
  apart: Apart;
}

export function openSessionApart(needs: SessionApartNeeds): OpenSessionApart {
  const { real, whereabouts } = needs;
  let opened: Opened | null = null;
  let gathered: ChangesInView | null = null;
  const made = createMadeChanges();
  let refreshedAt = 0;
  const gatheredNow = () => (whereabouts.gathers ? gathered : null);
  const require = (): Opened => opened ?? refuseReview();
  const renew = async (signal: AbortSignal): Promise<void> => {
    if (!opened || performance.now() - refreshedAt < FRESH_MS) return;
    await opened.view.refresh(signal);
    refreshedAt = performance.now();
  };
  return {
    get id() {
      return opened?.folder.about.id ?? null;
    },
    ...changesWhereTheyBelong(needs, () => opened?.apart.changes ?? gatheredNow()?.changes ?? real.changes),
    async begin(options, signal) {
      if (opened) throw new SettingsError('This session already works apart.');
      await refuseJobs(needs);
      opened = await open(options, { ...needs, made }, signal);
      refreshedAt = performance.now();
      await needs.stopServers();
    },
    notePrompt: async (prompt) => opened?.folder.notePrompt(prompt),
    review: (signal) => require().apart.review(signal),
    async keep(kept, signal) {
      const { apart } = require();
      await refuseJobs(needs);
      return apart.keep(kept, signal);
    },
    drop: (paths, signal) => require().apart.drop(paths, signal),
    renewedBefore: (scheduler) => withWorkBefore(scheduler, renew),
    async gather(say, signal) {
      if (opened) return gatherApart(opened.apart.changes, made);
      const { gatherChanges } = await import('./gathered-changes.js');
      gathered = await gatherChanges(needs, say, signal);
      return gathered;
    },
    async close() {
      const closing = opened;
      opened = null;
      whereabouts.view = null;
      closing?.view.close();
      await closing?.folder.close();
    },
  };
}

function refuseReview(): never {
  throw new SettingsError('This session does not work apart, so there is nothing to review.');
}

/** A scheduler that does something before each batch. */
function withWorkBefore(scheduler: Scheduler, before: (signal: AbortSignal) => Promise<void>): Scheduler {
  return {
    ...scheduler,
    async run(calls, signal, batch) {
      scheduler.requireOpen();
      await before(signal);
      return scheduler.run(calls, signal, batch);
    },
  };
}

/** A change is made in the view while there is one, and taken back where it was made. */
function changesWhereTheyBelong(
  { real, host, objects }: SessionApartNeeds,
  current: () => Changes,
): Pick<OpenSessionApart, 'changes' | 'planUndo' | 'showChange'> {
  /** Plans that take back changes of the workspace itself. */
  const realPlans = new WeakSet<PlannedChanges>();
  return {
    changes: changesOf((planned) => (planned && realPlans.has(planned) ? real.changes : current())),
    async showChange(changeSet, signal) {
      const { showChange } = await import('@toolwright/machine/changes/show-change.js');
      return showChange(changeSet, { files: real.files, objects, show: host.workspace.show, signal });
    },
    async planUndo({ changeSet, apart }, signal) {
      if (apart !== undefined) return current().planUndo(changeSet, signal);
      const plan = await real.changes.planUndo(changeSet, signal);
      if (plan.kind === 'ready') realPlans.add(plan.planned);
      return plan;
    },
  };
}

/** Changes files where `chosen` says at that moment. */
function changesOf(chosen: (planned?: PlannedChanges) => Changes): Changes {
  return {
    commit: (planned, options) => chosen(planned).commit(planned, options),
    planUndo: (changeSet, signal) => chosen().planUndo(changeSet, signal),
    diffOver: (changeSets, signal) => chosen().diffOver(changeSets, signal),
    recover: (signal) => chosen().recover(signal),
    recordDone: (done, before, options) => chosen().recordDone(done, before, options),
    tidy: (signal) => chosen().tidy(signal),
  };
}

async function refuseJobs({ commands }: SessionApartNeeds): Promise<void> {
  const running = (await commands().shell.jobs.list()).filter(({ status }) => status.kind !== 'ended');
  if (running.length === 0) return;
  const names = running.map(({ id, command }) => `${id} (${command})`).join(', ');
  throw new SettingsError(`A job still runs: ${names}. Stop it first.`);
}

async function open(
  { id, prompt = '', say }: BeginApart,
  needs: SessionApartNeeds & { made: MadeChanges },
  signal: AbortSignal,
): Promise<Opened> {
  const { host, state, session, whereabouts } = needs;
  const { openApartFolders } = await import('@toolwright/machine/host/apart/apart-folders.js');
  const folders = openApartFolders({ ...host, state });
  const roots = stagedRoots(host.workspace);
  const workspace = host.workspace.directory;
  const folder =
    id === undefined
      ? await folders.create({ session: session.id, workspace, roots, prompt })
      : await folders.take(id);
  try {
    requireSameRoots(folder, roots);
    const view = await openViewIn(folder.path, { ...needs, say, roots }, signal).catch(tellImpossible);
    whereabouts.view = view;
    return { folder, view, apart: await openSessionWork(folder, view, needs, signal) };
  } catch (error) {
    whereabouts.view?.close();
    whereabouts.view = null;
    await folder.close();
    throw error;
  }
}

function tellImpossible(error: unknown): never {
  if (!isToolError(error)) throw error;
  throw new SettingsError(`This session can't work apart. ${error.message}`);
}

function requireSameRoots({ about }: ApartFolder, roots: readonly string[]): void {
  if (about.roots.length === roots.length && about.roots.every((root, index) => root === roots[index]))
    return;
  throw new SettingsError(
    `The session apart ${about.id} works on ${about.roots.join(', ')}, not on ${roots.join(', ')}. Start in the same folders to continue it.`,
  );
}

async function openSessionWork(
  { about }: ApartFolder,
  view: View,
  needs: SessionApartNeeds & { made: MadeChanges },
  signal: AbortSignal,
): Promise<Apart> {
  const { host, session, made } = needs;
  const work: ViewedWork = {
    view,
    viewFiles: host.files,
    workspace: host.workspace,
    startedAtMs: Date.parse(about.startedAt),
    origin: { by: `apart ${about.id}` },
    async record(changeSet, origin) {
      made.note(changeSet);
      await session.recordChanges(changeSet, { ...origin, apart: about.id });
    },
  };
  return openWork(work, needs, signal);
}
