import type { SandboxMode } from '@toolwright/machine/host/sandbox/sandbox.js';

/** The folders, hosts and limits of commands. */
export interface SandboxSettings {
  mode?: SandboxMode;
  /** Names of variables that commands may see besides the usual ones; `NAME*` for a prefix. */
  environment?: readonly string[];
  /** Most memory of a command with all it starts: `4g`, `50%` of the machine or `none`; default: 50%. */
  memory?: string;
  /** Hosts that a command with network may reach; any when there is none. */
  networkHosts?: readonly string[];
}

/** Files that a command made and git ignores are kept without a question, or asked about like others. */
export type IgnoredFiles = 'keep' | 'ask';
