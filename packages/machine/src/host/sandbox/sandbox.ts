import type { Launch } from '../processes/processes.js';
import type { Environment, StateFolder } from '../state/state-folder.js';
import type { DroppedWrites } from './home/written-in.js';

export type SandboxMode = 'auto' | 'required' | 'off';

/** `open`: the network of this machine, its own services included. Hosts as in rules: `example.org`, `*.example.org`, `example.org:8443`. */
export type SandboxNetwork = 'off' | 'open' | { hosts: readonly string[] };

/** A place outside the roots that the person agreed to. */
export interface OutsidePlace {
  /** Absolute, as it was named. */
  path: string;
  /** After links. */
  real: string;
  /** Only what is to be written may be missing. */
  kind: 'file' | 'folder' | 'socket' | 'missing-file' | 'missing-folder';
}

/** What a program may reach beyond the rest of its profile. */
export interface Outside {
  read: readonly OutsidePlace[];
  write: readonly OutsidePlace[];
  /** The socket of an ssh agent; with it ssh sees its settings, known hosts and public keys. */
  sshAgent?: string;
}

/** What a program may see and change. Everything that is not named here is hidden or read-only. Paths are absolute and real. */
export interface Profile {
  /** Whether the roots may be written. */
  workspace: 'read-only' | 'writable';
  /** The workspace and the other folders to work in. */
  roots: readonly string[];
  network: SandboxNetwork;
  /**
   * Inside the roots, and not to be changed: what exists is read-only, what does not can not be made. A missing one
   * is taken for a file unless it ends in a slash. Leave it empty where changes are looked at before they are kept.
   */
  protectedPaths?: readonly string[];
  /** The same for what exists. What does not may be made; `Confined.exposed` tells of it. */
  protectedIfThere?: readonly string[];
  /** Not to be read or changed: what the rules deny. The state folder and the usual places of secrets always are. */
  hidden?: readonly string[];
  /** More folders and files to see, read-only: the session's output. May lie inside hidden ones. */
  readable?: readonly string[];
  /** More folders to write: a cache that the person named. */
  writable?: readonly string[];
  /** Places outside the roots. Single files of the home can be written only with `watchesHome`. */
  outside?: Outside;
  /** Home is a folder on disk, and `Confined.dropped` tells what was written there; else it is in memory, and nothing is told. */
  watchesHome?: true;
  /** Stands for the home, and is kept: what the program saves there it finds again. Without it home is empty each time. */
  home?: string;
  /** Stands for /tmp, so that commands of one session share it; without it /tmp is empty each time, and in memory. */
  temporaryFolder?: string;
}

export interface SandboxState {
  confined: boolean;
  /** For questions and `doctor`: `confined by bubblewrap 0.8.0`, or `unconfined: …` and why. */
  sentence: string;
  /** The program that confines, where there is one. */
  program: string | null;
}

export interface Confined {
  /** Starts the program inside the sandbox; the very launch that was given when `confined` is false. */
  launch: Launch;
  confined: boolean;
  /** Protected paths that could not be kept from changing, because they are links. */
  unprotected: readonly string[];
  /**
   * Protected paths that were made or replaced since the start, by whomever. The program may change them: what is put
   * in the place of another from outside takes the protection with it.
   */
  exposed(): readonly string[];
  /** Tells what the program wrote to its watched home, which is removed with `release`; known after that. */
  dropped(): DroppedWrites;
  /** `host:port` of what was asked for and not named in the profile, so far. */
  refusedHosts(): readonly string[];
  /** Call it once the program has ended, whatever happened. Never throws. */
  release(): Promise<void>;
}

export interface Sandbox {
  readonly mode: SandboxMode;
  /** Tried once per start of the machine, then remembered. */
  state(signal: AbortSignal): Promise<SandboxState>;
  /**
   * Without a sandbox the launch comes back as it is, with `confined: false`; throws a `ToolError` instead where one
   * is required. Nothing outside the state folder is touched until the launch is started, but for the names of missing
   * protected paths, which exist, empty, until `release`.
   */
  confine(launch: Launch, profile: Profile, signal: AbortSignal): Promise<Confined>;
}

export interface SandboxOptions {
  mode: SandboxMode;
  /** Of the person: where home is, and what PATH names there. */
  environment: Environment;
  /** Hidden from what is confined. What was found out about this machine is kept in it. */
  state: StateFolder;
  /** Where it runs; this machine's unless told. */
  platform?: NodeJS.Platform;
}
