import type { RegisteredTool, Toolbox } from '@toolwright/core';
import { openFalseClaims } from '@toolwright/core/front-end';
import type { ToolReport } from '@toolwright/core/testing';

interface CheckedTool {
  toolbox: Pick<Toolbox, 'state' | 'host'>;
  origin: RegisteredTool['origin'];
  /** Calls were made; without them nothing is known about what it changes. */
  wasRun: boolean;
}

/** Remembers a tool that changed what it says it leaves alone; forgets it once it keeps its word. */
export async function rememberClaim(
  { name, findings }: ToolReport,
  { toolbox, origin, wasRun }: CheckedTool,
  signal: AbortSignal,
): Promise<void> {
  if (!wasRun || signal.aborted) return;
  const { state, host } = toolbox;
  const claims = openFalseClaims(state);
  const changed = findings.flatMap((finding) => finding.changed ?? []).map(host.workspace.show);
  if (changed.length === 0) {
    if ((await claims.of(name, origin)) !== null) await claims.forget(name, origin, signal);
  } else await claims.remember({ tool: name, changed, seenAt: host.clock.now() }, origin, signal);
}
