import { factKey, terminalSafe } from '@toolwright/core';
import type { Arguments } from '../args.js';
import { displayText } from '../display-text.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { abortOnInterrupt } from '../interrupts.js';
import { type NumberedFact, rememberedFacts } from '../remembered-facts.js';
import { loadSetup, openToolbox } from '../runtime.js';

/** Removes one fact, named by its number or by words that only it has. */
export async function forget(wanted: string, parsed: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const setup = await loadSetup(parsed);
  const toolbox = await openToolbox(parsed, { front: 'memory' }, setup);
  try {
    const { stores, facts } = await rememberedFacts(toolbox, setup, signal);
    const { scope, fact } = choose(facts, wanted, parsed.values.get('scope'));
    const plan = await stores[scope].plan({ remove: fact }, signal);
    const { diff, changeSet } = await plan.commit(signal);
    if (!diff) {
      process.stdout.write('It was gone already.\n');
      return exitCodes.done;
    }
    const back = changeSet === undefined ? '' : `To take this back: toolwright undo ${changeSet}\n`;
    process.stdout.write(`${displayText(diff)}\n${terminalSafe(`Forgotten (${scope}): ${fact}`)}\n${back}`);
    return exitCodes.done;
  } finally {
    await toolbox.close();
  }
}

export function choose(
  facts: readonly NumberedFact[],
  wanted: string,
  scope: string | undefined,
): NumberedFact {
  const candidates = facts.filter((fact) => scope === undefined || fact.scope === scope);
  const found = /^\d+$/.test(wanted)
    ? candidates.filter(({ number }) => number === Number(wanted))
    : matching(candidates, factKey(wanted));
  if (found.length === 1) return found[0]!;
  const where = scope === undefined ? '' : ` in the scope ${scope}`;
  if (found.length === 0)
    throw new UsageError(`There is no such fact${where}: ${wanted}. toolwright memory show lists them.`);
  const listed = found.map(({ number, fact }) => `\n  ${number}  ${fact}`).join('');
  throw new UsageError(`Several facts fit. Give the number of one:${listed}`);
}

/** The whole fact first; then the only one, or all, in which the words occur. */
function matching(facts: readonly NumberedFact[], key: string): NumberedFact[] {
  const exact = facts.filter(({ fact }) => factKey(fact) === key);
  return exact.length > 0 ? exact : facts.filter(({ fact }) => factKey(fact).includes(key));
}
