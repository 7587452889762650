import type { RawCall, Toolbox } from '@toolwright/core';

/** Loading tools of the person's own runs code of theirs, so it is done only for a call that needs one. */
export async function loadOwnTool(
  { name }: RawCall,
  { registry, ownTools }: Toolbox,
  signal: AbortSignal,
): Promise<void> {
  if (!registry.getTool(name)) await ownTools?.refresh(signal);
}
