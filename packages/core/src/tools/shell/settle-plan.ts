import { textOf } from '@toolwright/machine/base/content.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import {
  isEmptyChangeSet,
  stateAfter,
  stateBefore,
  summarize,
} from '@toolwright/machine/changes/change-set.js';
import type { StagedRun } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import { historyLast } from '@toolwright/machine/shell/models/git/history.js';
import type { ToolResult } from '../tools.js';
import type { ShellCall } from './call.js';
import { changesOf, onlyPaths, withoutPaths } from './changes-of.js';
import type { CommandPlan } from './command-plan.js';
import { warningsOf } from './path-warnings.js';
import { reportOf } from './report.js';

type Settling = ShellCall & {
  /** Rules and user have agreed to exactly these changes, or the user typed the command. */
  agreed: boolean;
};

/** Keeps the changes of a command that has run, and reports what became of them. */
export async function settlePlan(
  plan: CommandPlan,
  call: Settling,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (plan.kind === 'watched') return reportWatched(plan, call);
  const { run, mark } = plan;
  try {
    const { ended, refused } = run;
    const notes = [
      ...plan.refusals,
      ...plan.dropped,
      ...run.notes,
      ...refused.map(({ path, why }) => `not kept: ${call.host.workspace.show(path)}: ${why}`),
    ];
    if (run.notKept !== null) notes.push(run.notKept);
    // Whoever cancels a command they typed expects what it did so far to be there, as at any shell.
    const isDropped = ended.stopped && !call.facts.isOwn;
    if (isDropped && run.notKept === null && !isEmptyChangeSet(run.planned.changeSet))
      notes.push('its changes were dropped');
    if (isDropped) return reportOf({ ended, call, mark, notes });
    const left = call.agreed ? [] : notToKeep(run.planned.changeSet, run.flags, call);
    const leaving = new Set(left.map(({ path }) => path));
    const planned = { ...run.planned, changeSet: withoutPaths(run.planned.changeSet, leaving) };
    notes.push(...notKept(left, call));
    if (isEmptyChangeSet(planned.changeSet)) return reportOf({ ended, call, mark, notes });
    const versions = await ownVersions(planned, call);
    const until = ended.stopped ? deadlineIn(KEEP_LIMIT_MS) : signal;
    const keep = () =>
      left.length > 0 ? call.needs.changes.commit(planned, until) : run.keep({ signal: until });
    const kept = await keep().catch((error: unknown) => {
      throw withOutput(error, reportOf({ ended, call, mark, notes }));
    });
    markSeen(kept, call, versions);
    notes.push(keptNote(kept, call, plan.ignored));
    return reportOf({ ended, call, mark, notes, changeSet: kept.id });
  } finally {
    await run.drop();
  }
}

/** For changes of a command that was cancelled, whose signal is of no use any more. */
const KEEP_LIMIT_MS = 30_000;

/** Adds the output: it is not lost with the changes. */
function withOutput(error: unknown, { llmContent }: ToolResult): unknown {
  if (!isToolError(error)) return error;
  const { code, message } = error;
  const told = `${message}\nNone of what the command changed was kept. It printed:\n${textOf(llmContent)}`;
  return new ToolError(code, told, { cause: error });
}

async function reportWatched(
  { run, mark, why, refusals, dropped }: CommandPlan & { kind: 'watched' },
  call: Settling,
): Promise<ToolResult> {
  const { ended, changeSet, notUndoable } = run;
  const notes = [...refusals, ...dropped, `it ran in the workspace itself: ${why}`, ...run.notes];
  notes.push(
    ...notUndoable.map(({ path, why }) => `can't be undone: ${call.host.workspace.show(path)}: ${why}`),
  );
  if (!changeSet) return reportOf({ ended, call, mark, notes });
  const left = call.agreed ? [] : notToKeep(changeSet, run.flags, call);
  const leaving = new Set(left.map(({ path }) => path));
  const stays = left.length === 0 ? null : await call.needs.changes.takeBack(onlyPaths(changeSet, leaving));
  const kept = stays === null ? withoutPaths(changeSet, leaving) : changeSet;
  const flags = stays === null ? run.flags.filter(({ path }) => !leaving.has(path)) : run.flags;
  notes.push(
    ...(stays === null ? notKept(left, call) : [stays]),
    ...warningsOf(flags, call.host.workspace.show),
  );
  if (isEmptyChangeSet(kept)) return reportOf({ ended, call, mark, notes });
  markSeen(kept, call);
  notes.push(keptNote(kept, call));
  return reportOf({ ended, call, mark, notes, changeSet: changeSet.id });
}

interface NotKept {
  path: string;
  why: string;
}

/** Changes of a command that was agreed to before anybody could see them. */
function notToKeep(changeSet: ChangeSet, flags: StagedRun['flags'], { needs, facts }: ShellCall): NotKept[] {
  return changesOf(changeSet, { flags }).flatMap((change) => {
    const why = needs.permission.refusalOfUnseenChange(facts.effects, change);
    return why === null || !('path' in change) ? [] : [{ path: change.path, why }];
  });
}

function notKept(left: readonly NotKept[], { host }: ShellCall): string[] {
  return left.map(({ path, why }) => `not kept: ${host.workspace.show(path)}: ${why}`);
}

const MOST_NAMED = 10;

function keptNote(
  kept: ChangeSet,
  { host, needs }: ShellCall,
  ignored: ReadonlySet<string> = new Set(),
): string {
  const all = [...kept.changes, ...kept.removedDirectories, ...kept.directories];
  const inOrder = historyLast(all, ({ path }) => path).toSorted(
    (left, right) => Number(ignored.has(left.path)) - Number(ignored.has(right.path)),
  );
  const paths = inOrder.map(({ path }) => host.workspace.show(path));
  const named = paths.slice(0, MOST_NAMED).join(', ');
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  const what = `${summarize(kept)}: ${named}${more}`;
  const { whereabouts } = needs.changes;
  const isApart = whereabouts !== null && whereabouts.view !== null && !whereabouts.gathers;
  return isApart ? `kept apart: ${what}` : `kept: ${what}`;
}

/** New versions of files that the model knows; read before the changes are kept, because then the copy is gone. */
async function ownVersions(
  { changeSet, blobs }: PlannedChanges,
  { needs, facts }: ShellCall,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { seen } = needs.changes;
  const versions = new Map<string, Uint8Array>();
  if (!seen || facts.isOwn) return versions;
  for (const change of changeSet.changes) {
    const [before, after] = [stateBefore(change), stateAfter(change)];
    const isKnown = before.kind === 'file' && seen.lastSeen(change.path)?.hash === before.hash;
    if (!isKnown || after.kind !== 'file' || (after.size ?? 0) > LARGEST_KNOWN) continue;
    if (change.kind === 'modify') versions.set(change.path, await blobs.read(after.hash));
  }
  return versions;
}

const LARGEST_KNOWN = 1024 * 1024;

/** The model knows that its own command wrote these files, but not what is in them. */
function markSeen(
  { changes }: ChangeSet,
  { needs, facts }: ShellCall,
  versions: ReadonlyMap<string, Uint8Array> = new Map(),
): void {
  const { seen } = needs.changes;
  for (const change of changes) {
    const { path } = change;
    const [before, after] = [stateBefore(change), stateAfter(change)];
    const bytes = versions.get(path);
    const left = after.kind === 'file' ? { hash: after.hash, bytes } : null;
    if (before.kind === 'file' && !facts.isOwn)
      seen?.changedByOwn(path, { before: before.hash, after: left });
    else if (left) seen?.saw(path);
  }
}
