import type { Place } from '../plain-files/place.js';
import type { Launch } from '../processes/processes.js';
import type { Environment, StateFolder } from '../state/state-folder.js';
import type { DroppedWrites } from './home/written-in.js';

/** The confinement of commands: where this machine can, always (none runs where it can't), or never. */
export type SandboxMode = 'auto' | 'required' | 'off';

/**
 * `open`: the network of this machine, including its own services. Hosts as in rules: `example.org`, `*.example.org`,
 * `example.org:8443`.
 */
export type SandboxNetwork = 'off' | 'open' | { hosts: readonly string[] };

/** A path outside the roots that the user agreed to. */
export interface OutsidePlace {
  /** The path as it was named, absolute. */
  path: string;
  /** The path after links. */
  real: string;
  /** Only paths to write may be missing. */
  kind: 'file' | 'folder' | 'socket' | 'missing-file' | 'missing-folder';
}

/** Paths and sockets a program may use beyond the rest of its profile. */
export interface Outside {
  read: readonly OutsidePlace[];
  write: readonly OutsidePlace[];
  /** The socket of an ssh agent; with it ssh sees its settings, known hosts and public keys. */
  sshAgent?: string;
}

/** The files and hosts open to a program. Everything else is hidden or read-only. Paths are absolute and real. */
export interface Profile {
  workspace: 'read-only' | 'writable';
  /** The workspace and the other folders to work in. */
  roots: readonly string[];
  network: SandboxNetwork;
  /**
   * Paths in the roots that must not change: existing ones are read-only, missing ones can't be made. A missing path
   * counts as a file unless it ends in a slash. Leave it empty where changes are examined before they are kept.
   */
  protectedPaths?: readonly string[];
  /** The same for existing paths only. Missing ones may be made; `Confined.exposed` lists them. */
  protectedIfThere?: readonly string[];
  /**
   * Paths that must not be read or changed, because rules deny it. The state folder and the usual paths of secrets are
   * always hidden.
   */
  hidden?: readonly string[];
  /** Further folders and files to show, read-only, such as the session's output. May lie inside hidden ones. */
  readable?: readonly string[];
  /** Further folders to write, such as a cache that the user named. */
  writable?: readonly string[];
  /** Paths outside the roots. Single files of the home can be written only with `watchesHome`. */
  outside?: Outside;
  /**
   * Puts the home on disk, and `Confined.dropped` lists what was written there. Otherwise it is in memory, and nothing
   * is listed.
   */
  watchesHome?: true;
  /**
   * Folder that stands for the home and is kept, so that the program finds its files again. Without it the home is
   * empty each time.
   */
  home?: string;
  /**
   * Folder that stands for /tmp, shared by the commands of a session. Without it /tmp is empty each time, and in
   * memory.
   */
  temporaryFolder?: string;
}

export interface SandboxState {
  confined: boolean;
  /** For questions and `doctor`: `confined by bubblewrap 0.8.0`, or `unconfined: …` and the reason. */
  sentence: string;
  /** The program that confines; null without one. */
  program: string | null;
}

export interface Confined {
  /** Starts the program inside the sandbox; the given launch when `confined` is false. */
  launch: Launch;
  confined: boolean;
  /** Protected paths that can't be protected, because they are links. */
  unprotected: readonly string[];
  /**
   * Protected paths that were made or replaced since the start, by anyone. The program may change them: replacing a
   * path from outside takes its protection away.
   */
  exposed(): readonly string[];
  /** The files that the program wrote to its watched home, which `release` removes; known after that. */
  dropped(): DroppedWrites;
  /** `host:port` of requests so far to hosts that the profile does not name. */
  refusedHosts(): readonly string[];
  /** Call once the program has ended, whatever happened. Never throws. */
  release(): Promise<void>;
}

export interface Sandbox {
  readonly mode: SandboxMode;
  /** Tried once per boot of the machine, then remembered. */
  state(signal: AbortSignal): Promise<SandboxState>;
  /**
   * Without a sandbox the launch comes back unchanged, with `confined: false`, or a `ToolError` is thrown if a sandbox
   * is required. Nothing outside the state folder is touched before the launch is started, except that missing
   * protected paths exist, empty, until `release`.
   */
  confine(launch: Launch, profile: Profile, signal: AbortSignal): Promise<Confined>;
}

export interface SandboxOptions {
  mode: SandboxMode;
  /** The user's environment: the home, and what PATH names there. */
  environment: Environment;
  /** Hidden from confined programs. Remembers what was found out about this machine. */
  state: StateFolder;
  /** Leads to the roots; default: every file at its own path. */
  place?: Place;
  /** Default: this machine's. */
  platform?: NodeJS.Platform;
}
