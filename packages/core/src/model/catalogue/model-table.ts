import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Prices, Usage } from '../model.js';

/** The facts about a model besides the kinds of content it takes. */
export interface ModelFacts {
  contextWindow?: number;
  prices?: Prices;
}

/** Finds what is known of a model by its name. */
export type ModelTable = (model: string) => ModelFacts;

/** The month up to which the prices below are known. */
const PUBLISHED = 'December 2025';

/** Dollars per million tokens, as far as known; providers change them, and `models.json` overrides them. The first row that fits counts; a pattern is only compiled for a name that holds the word before it. */
const published: readonly [string, RegExp, Prices][] = [
  ['claude', /claude-opus-4-[5-9]/, { input: 5, output: 25, cached: 0.5 }],
  ['claude', /claude-(opus-4|3-opus)/, { input: 15, output: 75, cached: 1.5 }],
  ['claude', /claude-(sonnet-4|3-7-sonnet|3-5-sonnet)/, { input: 3, output: 15, cached: 0.3 }],
  ['claude', /claude-haiku-4/, { input: 1, output: 5, cached: 0.1 }],
  ['claude', /claude-3-5-haiku/, { input: 0.8, output: 4, cached: 0.08 }],
  ['claude', /claude-3-haiku/, { input: 0.25, output: 1.25, cached: 0.03 }],
  ['gemini', /gemini-3(\.\d)?-pro/, { input: 2, output: 12, cached: 0.2 }],
  ['gemini', /gemini-3(\.\d)?-flash/, { input: 0.5, output: 3, cached: 0.05 }],
  ['gemini', /gemini-2\.5-pro/, { input: 1.25, output: 10, cached: 0.125 }],
  ['gemini', /gemini-2\.5-flash-lite/, { input: 0.1, output: 0.4, cached: 0.01 }],
  ['gemini', /gemini-2\.5-flash/, { input: 0.3, output: 2.5, cached: 0.03 }],
  ['gpt', /gpt-5(\.\d)?-nano/, { input: 0.05, output: 0.4, cached: 0.005 }],
  ['gpt', /gpt-5(\.\d)?(-codex)?-mini/, { input: 0.25, output: 2, cached: 0.025 }],
  ['gpt', /gpt-5\.2/, { input: 1.75, output: 14, cached: 0.175 }],
  ['gpt', /gpt-5/, { input: 1.25, output: 10, cached: 0.125 }],
  ['gpt', /gpt-4\.1-nano/, { input: 0.1, output: 0.4, cached: 0.025 }],
  ['gpt', /gpt-4\.1-mini/, { input: 0.4, output: 1.6, cached: 0.1 }],
  ['gpt', /gpt-4\.1/, { input: 2, output: 8, cached: 0.5 }],
  ['gpt', /gpt-4o-mini/, { input: 0.15, output: 0.6, cached: 0.075 }],
  ['gpt', /gpt-4o/, { input: 2.5, output: 10, cached: 1.25 }],
  ['o4-mini', /\bo4-mini/, { input: 1.1, output: 4.4, cached: 0.275 }],
  ['o3', /\bo3-mini/, { input: 1.1, output: 4.4, cached: 0.55 }],
  ['o3', /\bo3\b/, { input: 2, output: 8, cached: 0.5 }],
  ['deepseek', /deepseek-(chat|reasoner)/, { input: 0.28, output: 0.42, cached: 0.028 }],
];

function publishedPrices(model: string): Prices | undefined {
  const name = model.toLowerCase();
  const prices = published.find(([word, names]) => name.includes(word) && names.test(name))?.[2];
  return prices && { ...prices, asOf: PUBLISHED };
}

/** The built-in table, and `models.json` of the state folder over it. */
export async function openModelTable(state: Pick<State, 'readJson' | 'pathOf'>): Promise<ModelTable> {
  const file = await state.readJson('models');
  const models = file?.['models'] ?? {};
  if (!isJsonObject(models)) throw problem(state, 'models must be an object by the name of the model');
  const rows = Object.entries(models).map(([name, facts]) => ({
    fits: fitting(name),
    facts: checkedFacts(name, facts, state),
  }));
  return (model) => {
    const saved = rows.find(({ fits }) => fits(model))?.facts;
    return { contextWindow: saved?.contextWindow, prices: saved?.prices ?? publishedPrices(model) };
  };
}

/** A `*` stands for any part of a name. */
function fitting(name: string): (model: string) => boolean {
  const pattern = name
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${pattern}$`, 'i');
  return (model) => expression.test(model);
}

function checkedFacts(name: string, facts: unknown, state: Pick<State, 'pathOf'>): ModelFacts {
  const known = ['contextWindow', 'input', 'output', 'cached'];
  if (!isJsonObject(facts)) throw problem(state, `${name} must be an object`);
  for (const [key, value] of Object.entries(facts)) {
    if (!known.includes(key))
      throw problem(state, `${name}.${key} is not known; there are ${known.join(', ')}`);
    if (typeof value !== 'number' || value < 0)
      throw problem(state, `${name}.${key} must be a number from 0`);
  }
  const { contextWindow, input, output, cached } = facts as Record<string, number | undefined>;
  const prices = input !== undefined && output !== undefined ? { input, output, cached } : undefined;
  return { contextWindow, prices };
}

function problem(state: Pick<State, 'pathOf'>, what: string): SettingsError {
  return new SettingsError(`${state.pathOf('models.json')}: ${what}.`);
}

const MILLION = 1_000_000;

/** Dollars for what was used. */
export function costOf(
  {
    inputTokens,
    outputTokens,
    cachedTokens = 0,
  }: Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedTokens'>,
  { input, output, cached = input }: Prices,
): number {
  const fresh = Math.max(0, inputTokens - cachedTokens);
  return (fresh * input + cachedTokens * cached + outputTokens * output) / MILLION;
}
