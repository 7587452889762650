import type { RawCall, Toolbox } from '@toolwright/core';

/** Loads the user's own tools only for a call that needs one, because loading runs their code. */
export async function loadOwnTool(
  { name }: RawCall,
  { registry, ownTools }: Toolbox,
  signal: AbortSignal,
): Promise<void> {
  if (!registry.getTool(name)) await ownTools?.refresh(signal);
}
