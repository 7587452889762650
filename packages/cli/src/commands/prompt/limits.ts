import type { Agent } from '@toolwright/core';
import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';
import type { ConversationChoices } from '../../setup/runtime.js';

const MINUTE_MS = 60_000;

/** Limits and words that the flags give one run. */
export function choicesOf({ values }: Arguments): ConversationChoices {
  const minutes = amount(values, 'max-minutes');
  return {
    maxTokens: wholeAmount(values, 'max-tokens'),
    maxCost: amount(values, 'max-cost'),
    maxMs: minutes === undefined ? undefined : Math.ceil(minutes * MINUTE_MS),
    appendSystemPrompt: values.get('append-system-prompt'),
  };
}

type Priced = Pick<Agent, 'factsOf' | 'model'>;

/** A limit of money means nothing where nobody knows the prices. */
export function requirePrices(agent: Priced, { maxCost }: ConversationChoices): void {
  const missing = maxCost === undefined ? null : missingPrices(agent);
  if (missing !== null) throw new UsageError(`--max-cost: ${missing}, or use --max-tokens.`);
}

/** Says that nobody knows the prices of the model, and what to do; null where they are known. */
export function missingPrices({ model: { provider, model }, factsOf }: Priced): string | null {
  if (provider === 'offline' || factsOf().prices) return null;
  return `the prices of ${model} are not known here. Add them to models.json of the state folder (docs/models.md)`;
}

type Values = Arguments['values'];

function amount(values: Values, name: string): number | undefined {
  const given = values.get(name);
  if (given === undefined) return undefined;
  const number = Number(given);
  if (given.trim() !== '' && Number.isFinite(number) && number > 0) return number;
  throw new UsageError(`--${name} ${given}: must be a number above 0.`);
}

function wholeAmount(values: Values, name: string): number | undefined {
  const number = amount(values, name);
  if (number === undefined || Number.isInteger(number)) return number;
  throw new UsageError(`--${name} ${values.get(name)}: must be a whole number.`);
}
