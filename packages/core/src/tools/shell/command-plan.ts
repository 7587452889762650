import type { StagedRun, WatchedRun } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Launch, RunOptions } from '@toolwright/machine/host/processes/processes.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { OnUpdate } from '../tools.js';
import { DEFAULT_LIMIT_MS, type ShellCall } from './call.js';
import { confinementOf, dropSentences, profileOf, refusalSentences, watchTemporary } from './confinement.js';
import { bash } from './launch.js';
import { createWithoutStatusLine, withStatusLine } from './output/pipeline-statuses.js';
import { createLiveText } from './output/plain-output.js';

/** A command that has run, with the changes it made on a copy, or in the workspace itself where there is no copy. */
export type CommandPlan = (
  | {
      kind: 'staged';
      run: StagedRun;
      /** Paths of its changes that are kept without a question, because git ignored them before it ran. */
      ignored: ReadonlySet<string>;
      /** The sentences of `dropped`, worded for the question. */
      droppedForUser: readonly string[];
    }
  | { kind: 'watched'; run: WatchedRun; why: string }
) & {
  /** Start of the line that holds the exit codes along the pipeline. */
  mark: string;
  /** Sentences about the sandbox's part in a failure. */
  refusals: readonly string[];
  /** Sentences about files that the command wrote to its own home or /tmp, which do not last. */
  dropped: readonly string[];
};

export async function makeCommandPlan(
  call: ShellCall,
  signal: AbortSignal,
  onUpdate?: OnUpdate,
): Promise<CommandPlan> {
  const mark = newMark(call);
  const watching = { mark, signal, onUpdate };
  return call.route.kind === 'ask-first' && call.route.runs === 'in-workspace'
    ? runInWorkspace(call, call.route.why, watching)
    : runOnCopy(call, watching);
}

async function runOnCopy(call: ShellCall, watching: Watching): Promise<CommandPlan> {
  const { needs } = call;
  const { mark, signal } = watching;
  const profile = await writableProfile(call, signal);
  const confinement = confinementOf(call, profile);
  const { flush, ...options } = runOptions(call, watching);
  const run = await needs.staged
    .run(launchOf(call, mark), { ...options, confinement, keepsCancelled: call.facts.isOwn })
    .finally(flush);
  return {
    kind: 'staged',
    run,
    ignored: await needs.changes.ignored(run.planned.changeSet),
    mark,
    refusals: refusalSentences(call, { ...run, profile, mark }),
    dropped: dropSentences(call, run.confined),
    droppedForUser: dropSentences(call, run.confined, 'user'),
  };
}

async function runInWorkspace(call: ShellCall, why: string, watching: Watching): Promise<CommandPlan> {
  const { needs, facts } = call;
  const { mark, signal } = watching;
  const profile = {
    ...(await writableProfile(call, signal)),
    ...(await needs.protectedPaths(facts.effects)),
  };
  const confinement = confinementOf(call, profile);
  const room = watchTemporary(facts.sandbox.confined ? profile : {});
  const both = AbortSignal.any([signal, room.signal]);
  const { flush, ...options } = runOptions(call, { ...watching, signal: both });
  const run = await needs.staged
    .runWatched(launchOf(call, mark), { ...options, confinement })
    .finally(room.stop)
    .finally(flush);
  const refusals = refusalSentences(call, { ...run, profile, mark });
  return { kind: 'watched', run, why, mark, refusals, dropped: dropSentences(call, run.confined) };
}

function launchOf({ params, facts, needs }: ShellCall, mark: string): Launch {
  const script = withStatusLine(params.command, mark);
  return bash(script, facts.directory, needs, { values: facts.outside.variables });
}

async function writableProfile(call: ShellCall, signal: AbortSignal): Promise<Profile> {
  return { ...(await profileOf(call, 'writable', signal)), watchesHome: true };
}

/** A mark that nobody can guess, so that no command prints it by chance. */
export function newMark({ host }: ShellCall): string {
  return `toolwright-${host.ids.next()}`;
}

/** Output kept in memory; what does not fit into the response goes from there into a file. */
const KEPT = { headBytes: 4 * 1024 * 1024, tailBytes: 1024 * 1024 };

export interface Watching {
  mark: string;
  signal: AbortSignal;
  onUpdate?: OnUpdate;
}

/** Options of a run; `flush` shows text that was held back as a possible start of a control sequence. */
export function runOptions(
  { params }: ShellCall,
  { mark, signal, onUpdate }: Watching,
): RunOptions & { flush(): void } {
  const withoutStatus = createWithoutStatusLine(mark);
  const live = createLiveText();
  return {
    signal,
    timeoutMs: params.timeout ?? DEFAULT_LIMIT_MS,
    merge: true,
    keep: KEPT,
    onOutput: onUpdate && ((text) => onUpdate(live.write(withoutStatus(text)))),
    flush: () => onUpdate?.(live.end()),
  };
}
