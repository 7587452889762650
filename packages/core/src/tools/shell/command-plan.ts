import type { StagedRun, WatchedRun } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { RunOptions } from '@toolwright/machine/host/processes/processes.js';
import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { OnUpdate } from '../tools.js';
import { DEFAULT_LIMIT_MS, type ShellCall } from './call.js';
import { confinementOf, watchTemporary } from './confinement.js';
import { bash } from './launch.js';
import { createWithoutStatusLine, withStatusLine } from './pipeline-statuses.js';
import { createLiveText } from './plain-output.js';
import { profileOf } from './profile.js';

/** A command that has run, and what it would change, or has changed where it could not run apart. */
export type CommandPlan = (
  | {
      kind: 'staged';
      run: StagedRun;
      /** Paths of its changes that are kept without a question, because git ignored them before it ran. */
      ignored: ReadonlySet<string>;
      /** What `dropped` says, in words for the question. */
      droppedForPerson: readonly string[];
    }
  | { kind: 'watched'; run: WatchedRun; why: string }
) & {
  /** What the line with the pipeline's statuses starts with. */
  mark: string;
  /** What the sandbox had to do with a failure. */
  refusals: readonly string[];
  /** Sentences about files that the command wrote to its own home or /tmp, which do not last. */
  dropped: readonly string[];
};

export async function makeCommandPlan(
  call: ShellCall,
  signal: AbortSignal,
  onUpdate?: OnUpdate,
): Promise<CommandPlan> {
  const { parts, looked, params } = call;
  const mark = newMark(call);
  const script = withStatusLine(params.command, mark);
  const launch = bash(['-c', script], looked.directory, parts, looked.outside.variables);
  const staging = await parts.staged.possible(signal);
  const profile: Profile = { ...(await profileOf(call, 'writable', signal)), watchesHome: true };
  const watched = staging.possible ? {} : await parts.protectedPaths(looked.effects);
  const { confine, refusals, dropped } = confinementOf(call, { ...profile, ...watched }, signal);
  const { flush, ...running } = runOptions(call, { mark, signal, onUpdate });
  const options = { ...running, ...(confine ? { confine } : {}) };
  if (staging.possible) {
    const run = await parts.staged.run(launch, options).finally(flush);
    const ignored = await parts.ignoredChanges(run.planned.changeSet);
    return {
      kind: 'staged',
      run,
      ignored,
      mark,
      refusals: refusals(run.ended, mark),
      dropped: dropped(),
      droppedForPerson: dropped('person'),
    };
  }
  const room = watchTemporary(looked.sandbox.confined && !looked.isOwn ? profile : {});
  const run = await parts.staged
    .runWatched(launch, { ...options, signal: AbortSignal.any([signal, room.signal]) })
    .finally(room.stop)
    .finally(flush);
  return {
    kind: 'watched',
    run,
    why: staging.why,
    mark,
    refusals: refusals(run.ended, mark),
    dropped: dropped(),
  };
}

/** Nobody can guess it, so nobody prints it by chance. */
export function newMark({ host }: ShellCall): string {
  return `toolwright-${host.ids.next()}`;
}

/** In memory; what does not fit into the answer goes from there into a file. */
const KEPT = { headBytes: 4 * 1024 * 1024, tailBytes: 1024 * 1024 };

interface Watching {
  mark: string;
  signal: AbortSignal;
  onUpdate?: OnUpdate;
}

/** How it is run; `flush` shows what was held back as the beginning of a sequence, once nothing follows. */
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
    ...(onUpdate ? { onOutput: (text) => onUpdate(live.write(withoutStatus(text))) } : {}),
    flush: () => onUpdate?.(live.end()),
  };
}
