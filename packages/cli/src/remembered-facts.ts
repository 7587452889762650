import { type FactStore, type MemoryScope, openFacts, type Toolbox } from '@toolwright/core';
import type { Setup } from './runtime.js';

/** A fact with the number that `memory show` gives it. */
export interface NumberedFact {
  number: number;
  scope: MemoryScope;
  fact: string;
}

export interface RememberedFacts {
  stores: Record<MemoryScope, FactStore>;
  facts: NumberedFact[];
}

/** The facts of both scopes: the person's own first, numbered through. */
export async function rememberedFacts(
  { host, state, changes }: Toolbox,
  { loaded }: Setup,
  signal: AbortSignal,
): Promise<RememberedFacts> {
  const stores = openFacts({
    host,
    state,
    fileName: loaded.settings.context.fileName[0],
    commit: async (planned, inner) =>
      (await changes.commit(planned, { signal: inner, origin: { by: 'memory forget' } })).id,
  });
  const facts: NumberedFact[] = [];
  for (const scope of ['global', 'project'] as const) {
    for (const fact of await stores[scope].list(signal)) {
      facts.push({ number: facts.length + 1, scope, fact });
    }
  }
  return { stores, facts };
}
