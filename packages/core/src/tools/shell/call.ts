import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Flag } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { ShellAnalysis } from '@toolwright/machine/shell/analysis.js';
import type { ShellHost, ShellNeeds } from './needs.js';
import type { OutsideParams } from './outside/outside-params.js';
import type { ResolvedOutside } from './outside/resolve-outside.js';
import type { Route } from './route.js';

export type ShellParams = {
  command: string;
  description?: string;
  directory?: string;
  timeout?: number;
  is_background?: boolean;
  network?: boolean;
  outside?: OutsideParams;
};

/** Everything that is known of a command before it runs. */
export interface CommandFacts {
  analysis: ShellAnalysis;
  /** Absolute, after links. */
  directory: string;
  sandbox: SandboxState;
  /** The user typed the command: it runs with their rights, outside the sandbox. */
  isOwn: boolean;
  /** Places and hosts beyond the sandbox that the call asks for. */
  outside: ResolvedOutside;
  effects: Effect[];
  /** Secret places that the command names or could reach. */
  secrets: Flag[];
}

/** One call of the shell tool on its way from question to report. */
export interface ShellCall {
  params: ShellParams;
  facts: CommandFacts;
  route: Route;
  host: ShellHost;
  needs: ShellNeeds;
}

export const DEFAULT_LIMIT_MS = 600_000;
