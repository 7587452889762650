import { isAbsolute } from 'node:path';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { isInside, type Workspace } from '@toolwright/machine/host/workspace.js';
import type { McpServerConfig } from '@toolwright/mcp/contract/server-config.js';

/** Confinement of a server that is a program. */
export interface HowServerRuns {
  sandbox: 'read' | 'write' | 'off';
  network: boolean;
  confined: boolean;
  /** Shown to the user: `confined; reads the workspace, keeps a home of its own; network`. */
  sentence: string;
}

/** Words how the program of a server is confined; null for a server that is reached over the network. */
export function howServerRuns(
  { endpoint }: Pick<McpServerConfig, 'endpoint'>,
  state: Pick<SandboxState, 'confined' | 'sentence'>,
): HowServerRuns | null {
  if (endpoint.kind !== 'stdio') return null;
  const { sandbox = 'read', network = true } = endpoint;
  if (sandbox === 'off' || !state.confined) {
    const why = sandbox === 'off' ? 'unconfined: its sandbox is off' : state.sentence;
    return { sandbox, network, confined: false, sentence: `${why}; it can do whatever you can` };
  }
  const workspace = sandbox === 'write' ? 'reads and changes the workspace' : 'reads the workspace';
  const sentence = `confined: ${workspace}, ${network ? 'reaches the network' : 'no network'}`;
  return { sandbox, network, confined: true, sentence };
}

/** Variables that name files the server can't change in its sandbox; whether it wants to, nobody knows before it tries. */
export function unwritableVariables(
  { endpoint }: Pick<McpServerConfig, 'endpoint'>,
  { workspace, home }: { workspace: Pick<Workspace, 'rootOf'>; home: string },
): [name: string, path: string][] {
  if (endpoint.kind !== 'stdio') return [];
  return (
    Object.entries(endpoint.env)
      .filter(([, value]) => isAbsolute(value) && workspace.rootOf(value) === undefined)
      // A file that is made in the home is made in the server's own.
      .filter(([, value]) => lookAtSync(value) !== null || !isInside(value, home))
  );
}
