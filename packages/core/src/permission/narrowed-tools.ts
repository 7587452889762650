import type { Effect } from '@toolwright/machine/base/effect.js';
import { rulesCovering } from './covered-commands.js';
import type { Rule, Verb } from './rules.js';

const verbs: Partial<Record<Effect['kind'], Verb>> = {
  execute: 'Shell',
  read: 'Read',
  write: 'Edit',
  delete: 'Edit',
  memory: 'Edit',
  network: 'Fetch',
  mcp: 'Mcp',
};

/**
 * True for an effect that none of the rules covers to which whoever asks is narrowed. Each command of a line counts, harmless ones
 * too; the network and the background are asked about as ever. What no effect tells is beyond.
 */
export function isBeyond(
  rules: readonly Rule[],
  { tool, effect }: { tool: string; effect: Effect | undefined },
): boolean {
  if (effect === undefined) return true;
  // No rule about a program covers what an option or a redirection writes.
  if ('declared' in effect && effect.declared === 'by the way')
    return !rules.some((rule) => rule.matches({ tool, effect }));
  const about = rules.filter(({ verb }) => verb === verbs[effect.kind]);
  if (about.length === 0) return false;
  if (effect.kind !== 'execute') return !about.some((rule) => rule.matches({ tool, effect }));
  const { unproven: _, ...whole } = effect;
  return rulesCovering(about, [{ ...whole, network: false, background: false }]).length === 0;
}
