import { type ChangeSet, effectsOf, isEmptyChangeSet } from '@toolwright/machine/changes/change-set.js';
import { type Choice, chooseChanges, hunksOfChange } from '@toolwright/machine/changes/review/choose.js';
import type { ReviewHunk } from '@toolwright/machine/changes/review/hunks.js';
import { type Conflict, mergeWithPresent } from '@toolwright/machine/changes/review/merge-present.js';
import { type Review, reviewOf } from '@toolwright/machine/changes/review/review.js';
import type { StagedRun } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { OnBytes, StopReason } from '@toolwright/machine/host/processes/processes.js';
import type { Permission } from '../permission/permission.js';
import type { ShellCall, ShellNeeds, ShellParams } from '../tools/shell/call.js';
import { withoutPaths } from '../tools/shell/changes-of.js';
import { confinementOf, dropSentences, profileOf } from '../tools/shell/confinement.js';
import { examineCommand } from '../tools/shell/examine-command.js';
import { bash } from '../tools/shell/launch.js';
import { refusedUnseen } from './unseen-changes.js';

/** The parts of a toolbox that trying a command needs. */
export interface TryNeeds {
  host: Host;
  permission: Permission;
  commands: { shell: ShellNeeds };
}

/** The command to try, and how it runs. */
export interface TryOptions {
  /** A command line for bash. */
  command: string;
  /** The command may reach the network. */
  network?: boolean;
  /** The command reads our standard input, or none at all; default: `ours`. */
  input?: 'ours' | 'none';
  signal: AbortSignal;
  /** Receives the output as it comes. */
  onBytes?: OnBytes;
  /** Called before a plain copy is made because no overlay can be used; the sentence gives the reason and the cost. */
  say?(sentence: string): void;
}

/** A command line that ran on a copy of the workspace, which is as it was until something is kept. */
export interface TriedCommand {
  /** Null when a signal ended it. */
  exitCode: number | null;
  /** The name of that signal. */
  signal: string | null;
  /** Why it was ended early; null when it ended by itself. */
  stopped: StopReason | null;
  /** `confined by bubblewrap 0.8.0`, or why nothing confines it. */
  confinement: string;
  review: Review;
  /** Why nothing can be kept, as a sentence; null when it can. */
  notKept: string | null;
  /** Sentences about the sandbox and the copy: what the command could not do, what does not last. */
  notes: string[];
  /** Changes that are not kept unless somebody has looked at them, and why. */
  refusedUnseen(): Promise<Conflict[]>;
  /** Parts of a file that can be kept on their own; null where only the whole can. */
  hunks(path: string): Promise<ReviewHunk[] | null>;
  /** Keeps all changes or the chosen ones as one change set, and drops the others. */
  keep(choice: Choice | 'all', signal: AbortSignal): Promise<KeptTry>;
  /** Removes the copy. May be called more than once. */
  drop(): Promise<void>;
}

/** The outcome for changes of a tried command that were kept. */
export interface KeptTry {
  /** Null when nothing was left to keep. */
  changeSet: ChangeSet | null;
  /** Changes that were left out: a rule denies them, or somebody else changed the file in the same place. */
  conflicts: Conflict[];
  /** Files that now hold the change and what somebody else did to them meanwhile. */
  merged: string[];
}

/** Runs a command line of the user on a copy of the workspace, confined like a command of the model. */
export async function tryCommand(needs: TryNeeds, options: TryOptions): Promise<TriedCommand> {
  const { host, commands } = needs;
  const { signal } = options;
  const params: ShellParams = { command: options.command, network: options.network };
  const examined = { params, host, needs: commands.shell };
  const facts = await examineCommand(examined);
  const call: ShellCall = { ...examined, facts, route: { kind: 'staged' } };
  const profile = { ...(await profileOf(call, 'writable', signal)), watchesHome: true as const };
  const run = await commands.shell.staged.run(bash(options.command, facts.directory, commands.shell), {
    signal,
    confinement: confinementOf(call, profile),
    inheritsInput: options.input !== 'none',
    onBytes: options.onBytes,
    onCopy: (sentence) => options.say?.(sentence),
  });
  const { ended, refused } = run;
  return {
    exitCode: ended.exitCode,
    signal: ended.signal,
    stopped: ended.stopped,
    confinement: facts.sandbox.sentence,
    review: reviewOf(run.planned, { flags: run.flags, show: host.workspace.show }),
    notKept: run.notKept,
    notes: [
      ...dropSentences(call, run.confined, 'user'),
      ...run.notes,
      ...refused.map(({ path, why }) => `can't be kept: ${host.workspace.show(path)}: ${why}`),
    ],
    refusedUnseen: async () =>
      refusedUnseen(run.planned.changeSet, {
        permission: needs.permission,
        flags: run.flags,
        refusalOf: (change) => commands.shell.permission.refusalOfUnseenChange(facts.effects, change),
      }),
    hunks: (path) => hunksAt(run, path),
    keep: (choice, keepSignal) =>
      keepChosen(run, choice, { ...needs, command: options.command, signal: keepSignal }),
    drop: run.drop,
  };
}

async function hunksAt(run: StagedRun, path: string): Promise<ReviewHunk[] | null> {
  const change = run.planned.changeSet.changes.find((each) => each.path === path);
  const found = change && (await hunksOfChange(run.planned, change, { readBefore: run.replacedContent }));
  return found?.hunks ?? null;
}

async function keepChosen(
  run: StagedRun,
  choice: Choice | 'all',
  { host, permission, command, signal }: TryNeeds & Pick<TryOptions, 'command' | 'signal'>,
): Promise<KeptTry> {
  const { show } = host.workspace;
  const choosing = { id: host.ids.next(), readBefore: run.replacedContent, show };
  const chosen = choice === 'all' ? run.planned : await chooseChanges(run.planned, choice, choosing);
  const denied = deniedChanges(chosen.changeSet, permission);
  const paths = new Set(denied.map(({ path }) => path));
  const allowed = { ...chosen, changeSet: withoutPaths(chosen.changeSet, paths) };
  const { planned, conflicts, merged } = await mergeWithPresent(allowed, {
    files: host.files,
    readBase: run.replacedContent,
    leftOut: denied,
    signal,
  });
  const leftOut = [...denied, ...conflicts];
  if (isEmptyChangeSet(planned.changeSet)) {
    await run.drop();
    return { changeSet: null, conflicts: leftOut, merged };
  }
  return {
    changeSet: await run.keep({ signal, part: planned, origin: { by: `try: ${command}` } }),
    conflicts: leftOut,
    merged,
  };
}

function deniedChanges(changeSet: ChangeSet, permission: Permission): Conflict[] {
  return effectsOf(changeSet).flatMap((effect) => {
    if (effect.kind !== 'write' && effect.kind !== 'delete') return [];
    const why = permission.refusal('write', effect.path);
    return why === null ? [] : [{ path: effect.path, why }];
  });
}
