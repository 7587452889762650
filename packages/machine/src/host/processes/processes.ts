import type { AbortReason } from '../../base/errors.js';

/** A folder that programs find at the path of another one. */
export interface StandIn {
  /** Absolute. */
  path: string;
  from: string;
}

/** A program to start. Nothing of our own environment reaches it but what stands here: see `childEnvironment`. */
export interface Launch {
  /** A path, or a name that is looked up in the PATH of `environment`. */
  program: string;
  args: readonly string[];
  /** Absolute. */
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** Folders that a sandbox shows in place of others. Unless told, those of the place. */
  standIns?: readonly StandIn[];
  /** The program changes no file, so it can be started where files are read faster. */
  onlyReads?: boolean;
  /** The program is a sandbox, which decides itself who it runs as. */
  isSandbox?: boolean;
  /** The last argument is a script for bash, so what a process does before its command can stand in front of it. */
  endsInScript?: boolean;
  /** The launch is `/bin/sh -c SCRIPT NAME …`, so what a process does before its command can stand in front of that script. */
  beginsInShell?: boolean;
  /** The same without that shell, for whoever can hand over open files. The last argument is a script for bash. */
  withoutShell?: WithoutShell | undefined;
}

export interface WithoutShell {
  program: string;
  args: readonly string[];
  /** Files that the program reads from descriptor 3 on. */
  reads: readonly string[];
}

/** The stream of a program that a piece of output came from. */
export type OutputStream = 'stdout' | 'stderr';

export type OnBytes = (bytes: Buffer, stream: OutputStream) => Promise<void> | null | void;

export interface RunOptions {
  /** Ends the whole tree; the reason stands in `Ended.stopped`, and what was printed so far is kept. */
  signal: AbortSignal;
  /** Ends the whole tree like an abort. Default: no limit. */
  timeoutMs?: number;
  /** The time from the polite signal to the one nobody can refuse; default: 2 s. */
  graceMs?: number;
  /** Written to standard input, which is then closed. Without it standard input is empty. */
  input?: string | Uint8Array;
  /** True if the program reads from our own standard input. */
  inheritsInput?: boolean;
  /** Standard input stays open for `Running.write`. A terminal's always is. */
  keepInputOpen?: boolean;
  /** Both streams are one pipe, so that their order is the true one; all of it counts as `stdout`. */
  merge?: boolean;
  /**
   * Text for somebody who watches, soon after it comes and before `ended`: all of it, but of a flood only the latest lines
   * twenty times a second, with a line `…` for those between. A character cut in two by a chunk border comes whole.
   */
  onOutput?(text: string, stream: OutputStream): void;
  /** The same as bytes, for protocols and logs. A promise makes the program wait until it is kept. */
  onBytes?: OnBytes;
  /** Called when nobody can write to the stream any more, whether or not the program lives on. */
  onEnd?(stream: OutputStream): void;
  /** Bounds on each stream in memory; default: 256 kB of the beginning and 256 kB of the end. */
  keep?: { headBytes: number; tailBytes: number };
  /** Ends the run with `limit` once it has printed this much. Default: no limit. */
  maxOutputBytes?: number;
  /** Runs on a pseudo-terminal of this size; implies `merge`. See `Processes.limits().terminal`. */
  terminal?: { columns: number; rows: number };
  /**
   * The moment when the run is over. `command`: with the command itself, and what it left running is ended. `tree`: when nothing
   * of it is left, as for a job.
   */
  follow?: 'command' | 'tree';
  /**
   * True for a program that starts no other, and whose output nobody reads, like `bash -n`: a bare process, which costs half. It ends with
   * the signal like every other.
   */
  startsNothing?: boolean;
  /** Most processes of the tree at once, where the system can bound it; default: 4096. */
  maxProcesses?: number;
}

/** A program waits for somebody to type. */
export interface Blocked {
  /** The last line, without control sequences: `Password:`. */
  prompt: string;
  /** False while what is typed is not shown: a password, which only the user may give. */
  echo: boolean;
  pid: number;
  program: string;
  /** False where the system shows only that it waits, prints nothing and left its last line open. */
  certain: boolean;
}

/** The reason why a run was ended before it ended by itself. */
export interface StopReason {
  kind: AbortReason['kind'] | 'input';
  message?: string;
}

/** A process that was still there when its command had ended. */
export interface Survivor {
  pid: number;
  command: string;
}

export interface CapturedOutput {
  /** The whole text when nothing was dropped, else its beginning. */
  head: string;
  /** The end, when something between was dropped. */
  tail: string;
  /** The number of bytes printed; `omittedBytes` of them are in neither `head` nor `tail`. */
  totalBytes: number;
  omittedBytes: number;
  /** True if the output is not text: control bytes that no encoding explains. `head` and `tail` then hold replacement characters. */
  isBinary: boolean;
  /** `utf-8`, or what the bytes were found to be. */
  encoding: string;
}

export interface Ended {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  /** Null when it ended by itself. */
  stopped: StopReason | null;
  stdout: CapturedOutput;
  /** Empty with `merge`. */
  stderr: CapturedOutput;
  /** Processes that the command had left running and that were ended after it; at most 20 of them. */
  survivors: readonly Survivor[];
  /** Processes that could not be ended, because the kernel keeps hold of them. Normally 0. */
  left: number;
  durationMs: number;
}

export interface Running {
  readonly pid: number;
  /** Resolves at the end; never rejects. */
  readonly ended: Promise<Ended>;
  /** The kept output so far, standard output first: bytes, with a line for what was dropped between. */
  kept(): Buffer;
  /** The output so far. */
  output(): Promise<{ stdout: CapturedOutput; stderr: CapturedOutput }>;
  /** Settles when the system has taken it. Throws a `ToolError` when standard input is closed. */
  write(text: string | Uint8Array): Promise<void>;
  closeInput(): void;
  /** Ends the whole tree. The first reason counts. */
  stop(reason: StopReason): Promise<Ended>;
  /** Lets the command go on as with `follow: 'tree'`, and without a time limit: a foreground command becomes a job. */
  release(): void;
  /** Lets go of the signal it was started with, and listens to another. */
  listenTo(signal: AbortSignal): void;
  /** Hears the output from now on as well; the function that is returned ends that. */
  watch(onBytes: OnBytes): () => void;
  /** The question it waits at, while it waits. */
  blocked(): Blocked | null;
  /** True when typed text would not be shown, as for a password; looked up at this very moment. */
  hidesInput(): Promise<boolean>;
  /** The processes of the tree that live now. */
  members(): Promise<readonly Survivor[]>;
  /** The TCP ports that processes of the tree listen on; null where the system can't tell. */
  ports(): Promise<readonly number[] | null>;
}

/** Bounds that hold on this machine. Every sentence is for the user. */
export interface ProcessLimits {
  /** The bound on a storm of processes. */
  processes: { bound: 'cgroup' | 'user-limit' | 'none'; most: number | null; sentence: string };
  /** The memory limit of a command, and who sees to it. */
  memory: { bound: 'cgroup' | 'watched' | 'none'; most: number | null; sentence: string };
  /** The way the whole tree is found when it must end. */
  tree: { found: 'cgroup' | 'process-table' | 'group'; sentence: string };
  /** The fate of commands when this program is killed. */
  death: { dies: 'tree' | 'command' | 'next-start'; sentence: string };
  terminal: { available: boolean; sentence: string };
}

/** The one place that starts and ends programs of others. */
export interface Processes {
  /**
   * Runs to the end and leaves no process behind, whatever happens. An abort does not throw (it stands in `stopped`) unless it came before
   * the start. Throws a `ToolError` when the program or the directory is missing.
   */
  run(launch: Launch, options: RunOptions): Promise<Ended>;
  start(launch: Launch, options: RunOptions): Promise<Running>;
  limits(): Promise<ProcessLimits>;
  /** Ends what earlier processes of ours, dead by now, have left behind. Gives how many processes that were. */
  reap(signal: AbortSignal): Promise<number>;
  /** Ends everything that was started here and is not over. */
  end(reason: StopReason): Promise<void>;
}
