import type { Toolbox } from '@toolwright/core';
import { type FactStore, factKey, type MemoryScope, openFacts } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import type { Setup } from '../setup/runtime.js';
import { type Prefix, type ReportItem, textItem } from './report.js';

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

/** The facts of both scopes: the user's own first, numbered through. */
export async function rememberedFacts(
  { host, state, changes }: Toolbox,
  { loaded }: Setup,
  signal: AbortSignal,
  by = 'memory forget',
): Promise<RememberedFacts> {
  const stores = openFacts({
    host,
    state,
    fileName: loaded.settings.context.fileName[0],
    commit: async (planned, inner) => (await changes.commit(planned, { signal: inner, origin: { by } })).id,
  });
  const facts: NumberedFact[] = [];
  for (const scope of ['global', 'project'] as const) {
    for (const fact of await stores[scope].list(signal)) {
      facts.push({ number: facts.length + 1, scope, fact });
    }
  }
  return { stores, facts };
}

export interface ForgetOptions {
  wanted: string;
  scope?: string | undefined;
  prefix: Prefix;
  signal: AbortSignal;
}

/** Removes one fact, named by its number or by words that only it has. */
export async function forgetFact(
  toolbox: Toolbox,
  setup: Setup,
  { wanted, signal, ...options }: ForgetOptions,
): Promise<ReportItem[]> {
  const { stores, facts } = await rememberedFacts(toolbox, setup, signal);
  const { scope, fact } = factNamed(facts, wanted, options);
  const plan = await stores[scope].plan({ remove: fact }, signal);
  const { diff, changeSet } = await plan.commit(signal);
  if (!diff) return [textItem('It had already been removed.')];
  return [
    { kind: 'diff', diff, tone: 'plain' },
    textItem(`Forgotten (${scope}): ${fact}`, 'good'),
    ...(changeSet === undefined ? [] : [textItem(`To undo this: ${options.prefix}undo ${changeSet}`)]),
  ];
}

/** `#fact`: keeps a fact that the user typed, in the project's context file or for all projects. */
export async function rememberFact(
  toolbox: Toolbox,
  setup: Setup,
  { fact, scope, signal }: { fact: string; scope: MemoryScope; signal: AbortSignal },
): Promise<ReportItem[]> {
  const { stores } = await rememberedFacts(toolbox, setup, signal, 'your note');
  const store = stores[scope];
  const { diff, changeSet } = await (await store.plan({ add: fact }, signal)).commit(signal);
  if (!diff) return [textItem(`${store.shown} already says so.`)];
  const back =
    changeSet === undefined ? '/memory forget takes it back.' : `/undo ${changeSet} takes it back.`;
  return [textItem(`Remembered in ${store.shown}: ${fact}. ${back}`, 'good')];
}

export function factNamed(
  facts: readonly NumberedFact[],
  wanted: string,
  { scope, prefix }: Pick<ForgetOptions, 'scope' | 'prefix'>,
): NumberedFact {
  const candidates = facts.filter((fact) => scope === undefined || fact.scope === scope);
  const found = /^\d+$/.test(wanted)
    ? candidates.filter(({ number }) => number === Number(wanted))
    : matching(candidates, factKey(wanted));
  if (found.length === 1) return found[0]!;
  const where = scope === undefined ? '' : ` in the scope ${scope}`;
  if (found.length === 0)
    throw new UsageError(`There is no such fact${where}: ${wanted}. ${prefix}memory show lists them.`);
  const listed = found.map(({ number, fact }) => `\n  ${number}  ${fact}`).join('');
  throw new UsageError(`Several facts match. Give the number of one:${listed}`);
}

/** The fact that is exactly this, else every fact in which the words occur. */
function matching(facts: readonly NumberedFact[], key: string): NumberedFact[] {
  const exact = facts.filter(({ fact }) => factKey(fact) === key);
  return exact.length > 0 ? exact : facts.filter(({ fact }) => factKey(fact).includes(key));
}
