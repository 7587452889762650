import type { LookedAt } from './look-at-command.js';
import type { ShellHost, ShellParams, ShellParts } from './parts.js';

/** One call of the shell tool with everything it stands on. */
export interface ShellCall {
  params: ShellParams;
  looked: LookedAt;
  host: ShellHost;
  parts: ShellParts;
}

export const DEFAULT_LIMIT_MS = 600_000;
