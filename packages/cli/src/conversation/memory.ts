import type { Toolbox } from '@toolwright/core';
import { safe, safeDiff } from '../app/safe-text.js';
import type { NewBlock } from '../app/state.js';
import { choose } from '../commands/memory-forget.js';
import { describeMemory } from '../commands/memory-show.js';
import { UsageError } from '../exit-codes.js';
import { rememberedFacts } from '../remembered-facts.js';
import type { Setup } from '../runtime.js';

/** `/memory` shows, `/memory forget WORDS` removes one fact. */
export async function memory(
  { toolbox, setup, rest }: { toolbox: Toolbox; setup: Setup; rest: string },
  signal: AbortSignal,
): Promise<NewBlock[]> {
  const words = /^forget\s+(\S.*)$/s.exec(rest)?.[1];
  if (words !== undefined) return forget(words, { toolbox, setup }, signal);
  if (rest !== '' && rest !== 'show') return [said('It is /memory or /memory forget WORDS.', 'warning')];
  return [said((await describeMemory(toolbox, setup, signal)).trimEnd(), 'plain')];
}

async function forget(
  words: string,
  { toolbox, setup }: { toolbox: Toolbox; setup: Setup },
  signal: AbortSignal,
): Promise<NewBlock[]> {
  const { stores, facts } = await rememberedFacts(toolbox, setup, signal);
  try {
    const { scope, fact } = choose(facts, words, undefined);
    const plan = await stores[scope].plan({ remove: fact }, signal);
    const { diff, changeSet } = await plan.commit(signal);
    if (!diff) return [said('It was gone already.', 'plain')];
    const back = changeSet === undefined ? '' : ` To take this back: /undo ${changeSet}`;
    return [{ kind: 'diff', diff: safeDiff(diff) }, said(`Forgotten (${scope}): ${fact}.${back}`, 'good')];
  } catch (error) {
    if (error instanceof UsageError) return [said(error.message, 'warning')];
    throw error;
  }
}

function said(text: string, tone: 'plain' | 'good' | 'warning'): NewBlock {
  return { kind: 'said', text: safe(text), tone };
}
