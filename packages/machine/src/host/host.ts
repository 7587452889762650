import type { Files } from './files/files.js';
import type { Http } from './http/http.js';
import type { Ignore } from './ignore/ignore.js';
import type { Ripgrep } from './ripgrep/ripgrep.js';
import type { Workspace } from './workspace.js';

/** The time, and waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Ids and randomness, so that tests can fix them. */
export interface Ids {
  /**
   * Unique, sortable by creation time, safe as a file name. With `notBefore` it sorts behind ids of that time
   * (milliseconds).
   */
  next(notBefore?: number): string;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The log file of the program. */
export interface Log {
  /** The log file, named in every internal error. */
  readonly path: string;
  debug(message: string, data?: unknown): void;
  error(message: string, error?: unknown): void;
}

/** The outside world. A tool's constructor takes `Pick<Host, …>`: it asks for what it uses. */
export interface Host {
  clock: Clock;
  ids: Ids;
  log: Log;
  workspace: Workspace;
  files: Files;
  ripgrep: Ripgrep;
  ignore: Ignore;
  http: Http;
}
