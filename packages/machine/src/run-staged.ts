import { join } from 'node:path';
import type { FileDiff } from './base/content.js';
import { ToolError } from './base/errors.js';
import { isJsonObject } from './base/json.js';
import type { ChangeSet } from './changes/change-set.js';
import { openChanges } from './changes/commit.js';
import { createStagedRuns } from './changes/staged-run/create-staged-runs.js';
import type { PathWarning, Refused, StagedRun } from './changes/staged-run/staged-run.js';
import type { UndoPlan } from './changes/undo.js';
import { createFiles } from './host/files/create-files.js';
import { createClock, createIds, silentLog } from './host/node-host.js';
import { makePrivateFolder, namesIn, readText, removeFile } from './host/objects/image-file.js';
import { childEnvironment } from './host/processes/child-environment.js';
import { createProcesses } from './host/processes/create-processes.js';
import { droppedNotice } from './host/processes/output/utf8-cuts.js';
import type { CapturedOutput, Launch, OutputStream, StopReason } from './host/processes/processes.js';
import { createSandbox } from './host/sandbox/create-sandbox.js';
import type { SandboxMode, SandboxNetwork } from './host/sandbox/sandbox.js';
import { replaceFile } from './host/state/replace-file.js';
import { openState } from './host/state/state.js';
import { type StateFolder, stateFolderPath } from './host/state/state-folder.js';
import { createWorkspace } from './host/workspace.js';

/** The folders and the cancellation of a staged run. */
export interface StagingOptions {
  /** The folder to work in; default: the current one. */
  workspace?: string;
  /** Keeps earlier versions of files for undo; default: `$TOOLWRIGHT_HOME` or `~/.toolwright`. Must lie outside the workspace. */
  stateFolder?: string;
  signal?: AbortSignal;
}

/** The options of `runStaged`. */
export interface RunStagedOptions extends StagingOptions {
  /** Variables for the command. Of our own environment it sees only PATH, HOME, the language and the like. */
  environment?: Readonly<Record<string, string>>;
  /** Hosts the command may reach, where there is a sandbox; default: `off`. */
  network?: SandboxNetwork;
  /** `required` refuses to run without a sandbox; default: `auto`. */
  sandbox?: SandboxMode;
  /** Ends the command with all it started after this time. Default: no limit. */
  deadlineMs?: number;
  onOutput?(text: string, stream: OutputStream): void;
}

/** A command that has ended. The workspace is as it was until `keep`. */
export interface StagedCommand {
  /** Null when a signal ended it. */
  exitCode: number | null;
  /** The reason why it was ended early: the deadline, the signal; null when it ended by itself. */
  stopped: StopReason | null;
  /** The output, at most 512 kB each, with a notice where the middle was dropped. */
  stdout: string;
  stderr: string;
  /** `confined by bubblewrap 0.8.0`, or `unconfined: …` and why. */
  confinement: string;
  /** Empty when nothing was changed: then there is nothing to keep. */
  changeSet: ChangeSet;
  diff: FileDiff;
  /** Paths of the change set that deserve a second look: new executables, links that leave the workspace. */
  flags: PathWarning[];
  /** Pipes, sockets, devices and the like, which can't be kept. */
  refused: Refused[];
  /** Why nothing can be kept, as a sentence; null when it can. */
  notKept: string | null;
  /** Effects that staging had on the command itself, one sentence each. */
  notes: string[];
  /** Commits all changes or none: throws a `ToolError` of code `conflict` when files were changed meanwhile. Drops the copy either way. */
  keep(): Promise<ChangeSet>;
  /** Removes the copy. May be called more than once. */
  drop(): Promise<void>;
}

/**
 * Runs a command line in bash on a copy-on-write view of the workspace, inside the sandbox where there is one. Throws a
 * `ToolError` that says why, before anything runs, where that is not possible.
 */
export async function runStaged(command: string, options: RunStagedOptions = {}): Promise<StagedCommand> {
  const folder = openFolder(options);
  const { workspace, state, signal } = folder;
  const processes = createProcesses({ ...folder, state });
  const sandbox = createSandbox({ mode: options.sandbox ?? 'auto', environment: process.env, state });
  const staged = createStagedRuns({ ...folder, processes, withLock: state.withLock });
  const profile = {
    workspace: 'writable',
    roots: [workspace.directory],
    network: options.network ?? 'off',
  } as const;
  try {
    const { sentence } = await sandbox.state(signal);
    await folder.changes.recover(signal);
    const run = await staged.run(launchOf(command, workspace.directory, options.environment), {
      signal,
      timeoutMs: options.deadlineMs,
      onOutput: options.onOutput,
      confinement: { sandbox, profile },
    });
    return { ...describeRun(run, folder), confinement: sentence };
  } finally {
    await processes.end({ kind: 'shutdown' });
  }
}

/** The outcome of an undo. */
export type Undone =
  | { kind: 'undone'; changeSet: ChangeSet; diff: FileDiff }
  /** Everything is as it was before already. */
  | { kind: 'nothing' }
  /** Files were changed since, which the diff shows, or an earlier version is gone. Nothing was undone. */
  | { kind: 'refused'; reason: string; diff: FileDiff };

/** Takes back what `keep` committed, given the change set or its id; also in a later process with the same state folder. */
export async function undo(kept: ChangeSet | string, options: StagingOptions = {}): Promise<Undone> {
  const folder = openFolder(options);
  const { changes, objects, signal } = folder;
  try {
    await changes.recover(signal);
    const changeSet = typeof kept === 'string' ? await readKept(kept, folder.kept) : kept;
    const plan: UndoPlan = await changes.planUndo(changeSet, signal);
    if (plan.kind !== 'ready') return plan;
    const { planned } = plan;
    return { kind: 'undone', changeSet: await changes.commit(planned, { signal }), diff: planned.diff };
  } finally {
    await objects.close();
  }
}

async function readKept(id: string, kept: KeptChangeSets): Promise<ChangeSet> {
  const changeSet = await kept.read(id);
  if (changeSet) return changeSet;
  throw new ToolError(
    'not_found',
    `No kept change set ${JSON.stringify(id)} is in the state folder. Use the id that keep() gave, and the same state folder.`,
  );
}

type Folder = ReturnType<typeof openFolder>;

/** A workspace with all that changes its files and takes changes back. */
function openFolder({
  workspace: directory = '.',
  stateFolder,
  signal = new AbortController().signal,
}: StagingOptions) {
  const [clock, ids, log] = [createClock(), createIds(), silentLog];
  const workspace = createWorkspace({ directory });
  const state = openState({ path: stateFolder ?? stateFolderPath(process.env), host: { clock, ids } });
  const files = createFiles(workspace, { ids });
  const kept = openKeptChangeSets(state);
  const host = { clock, ids, log, files };
  const opened = openChanges({ host, workspace, state, owner: ids.next(), record: kept.save });
  return { ...host, ...opened, workspace, state, kept, signal };
}

function launchOf(command: string, directory: string, values: RunStagedOptions['environment']): Launch {
  return {
    program: 'bash',
    args: ['--noprofile', '--norc', '-c', '--', command],
    directory,
    environment: childEnvironment(process.env, { values }),
    endsInScript: true,
  };
}

function describeRun(run: StagedRun, { objects, signal }: Folder): Omit<StagedCommand, 'confinement'> {
  const { ended, planned, flags, refused, notKept, notes } = run;
  return {
    exitCode: ended.exitCode,
    stopped: ended.stopped,
    stdout: textOf(ended.stdout),
    stderr: textOf(ended.stderr),
    changeSet: planned.changeSet,
    diff: planned.diff,
    flags,
    refused,
    notKept,
    notes,
    async keep() {
      try {
        return await run.keep({ signal });
      } finally {
        await objects.close();
      }
    },
    drop: run.drop,
  };
}

function textOf({ head, tail, omittedBytes }: CapturedOutput): string {
  return head + droppedNotice(omittedBytes) + tail;
}

/** Committed change sets in the state folder, so that another process can undo them by their ids. */
interface KeptChangeSets {
  /** May be called twice for the same set. */
  save(changeSet: ChangeSet): Promise<void>;
  /** Null when there is none of this id, or no longer. */
  read(id: string): Promise<ChangeSet | null>;
}

/** Ids sort by time, so the oldest go first. */
const MOST_KEPT = 1_000;

function openKeptChangeSets(state: Pick<StateFolder, 'pathOf'>): KeptChangeSets {
  const folder = state.pathOf('stage', 'kept');
  return {
    async save(changeSet) {
      await makePrivateFolder(folder);
      await replaceFile(join(folder, `${changeSet.id}.json`), `${JSON.stringify(changeSet)}\n`);
      const names = await namesIn(folder);
      for (const name of names.slice(0, Math.max(0, names.length - MOST_KEPT)))
        await removeFile(join(folder, name));
    },
    async read(id) {
      if (!/^[0-9a-z-]+$/.test(id)) return null;
      const text = await readText(join(folder, `${id}.json`)).catch(() => 'null');
      const value: unknown = JSON.parse(text);
      return isJsonObject(value) && value['v'] === 1 ? (value as unknown as ChangeSet) : null;
    },
  };
}
