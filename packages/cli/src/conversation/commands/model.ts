import type { ListedModel, ModelFacts, Prices } from '@toolwright/core';
import { efforts, formatAbout, messageOf } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeLine } from '../../app/safe-text.js';
import type { PickerItem } from '../../app/typing/picker.js';
import { modelSettings } from '../../setup/runtime.js';
import { modelName } from '../greeting.js';
import type { SlashContext } from '../slash-context.js';

const UNSET = "the model's choice";
/** No model has a name with a blank. */
const FALLBACK = 'the fallback';
const NO_FALLBACK = 'no fallback';

/** `/model`, `/model NAME`: from the next prompt on another model answers. */
export async function model(context: SlashContext, rest: string): Promise<ReportItem[]> {
  const { agent, setup } = context;
  if (agent.model.provider === 'offline')
    return [textItem('The built-in offline model answers here. /connect sets up another one.', 'warning')];
  const [name = '', effort = ''] = rest.split(/\s+/);
  const { effort: now = UNSET } = setup.loaded.settings.model;
  if (name !== '') return use(context, name, effort || now);
  const { models, problem } = await listModels(context);
  const { fallback = [] } = setup.loaded.settings.model;
  const picked = await context.front.pick(
    {
      title: safe('Which model should answer?'),
      about: safe(`${modelName(agent.model)} is now in use.${datedPrices(models)}${problem}`),
      items: [
        ...models.map((each) => itemOf(each, agent.model.model)),
        {
          id: FALLBACK,
          label: safeLine(`Fallback: ${fallback.join(', ') || 'none'}`),
          detail: safe("asked when the model can't answer"),
        },
      ],
      typed: 'filter',
      start: agent.model.model,
      dial: { name: safe('reasoning effort'), values: [UNSET, ...efforts], value: now },
      verb: safe('uses it'),
    },
    { signal: context.signal },
  );
  if (!picked) return [];
  return picked.id === FALLBACK ? chooseFallback(context, models) : use(context, picked.id, picked.dial);
}

/** Prices that the server does not tell are those of the table. */
function datedPrices(models: readonly ListedModel[]): string {
  const asOf = models.find(({ prices }) => prices?.asOf)?.prices?.asOf;
  return asOf ? ` US dollars per million tokens, as of ${asOf}.` : '';
}

async function chooseFallback(context: SlashContext, models: readonly ListedModel[]): Promise<ReportItem[]> {
  const { agent, setup, front, signal } = context;
  const { fallback = [] } = setup.loaded.settings.model;
  const others = models.filter(({ name }) => name !== agent.model.model);
  const picked = await front.pick(
    {
      title: safeLine(`Which model should be asked when ${agent.model.model} can't answer?`),
      items: [
        { id: NO_FALLBACK, label: safe('none'), isCurrent: fallback.length === 0 },
        ...others.map((each) => itemOf(each, fallback[0] ?? '')),
      ],
      typed: 'filter',
      start: fallback[0] ?? NO_FALLBACK,
    },
    { signal },
  );
  if (!picked) return [];
  const { model: values } = setup.loaded.settings;
  values.fallback = picked.id === NO_FALLBACK ? [] : [picked.id];
  await use(context, agent.model.model, values.effort ?? UNSET);
  const said =
    picked.id === NO_FALLBACK
      ? `No other model is asked when ${agent.model.model} can't answer.`
      : `When ${agent.model.model} can't answer, ${picked.id} is asked.`;
  return [textItem(`${said} /settings model.fallback keeps it for later.`, 'good')];
}

/** Lists the server's models with what is known of each; the one in use is always among them. */
async function listModels({
  agent,
  signal,
}: SlashContext): Promise<{ models: ListedModel[]; problem: string }> {
  let problem = '';
  const models = await Promise.resolve(agent.model.list?.(signal)).catch((error: unknown) => {
    signal.throwIfAborted();
    problem = ` The server does not list its models: ${messageOf(error)}`;
    return undefined;
  });
  const all = models ?? [];
  const known = all.some(({ name }) => name === agent.model.model)
    ? all
    : [{ name: agent.model.model }, ...all];
  return {
    models: known
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((each) => withFacts(each, agent.factsOf(each.name))),
    problem,
  };
}

function withFacts(listed: ListedModel, { contextWindow, prices }: ModelFacts): ListedModel {
  return {
    ...listed,
    contextWindow: listed.contextWindow ?? contextWindow,
    prices: listed.prices ?? prices,
  };
}

function itemOf({ name, label, prices, contextWindow }: ListedModel, current: string): PickerItem {
  const facts = [
    ...(label ? [label] : []),
    ...(prices ? [priceText(prices)] : []),
    ...(contextWindow === undefined ? [] : [`${formatAbout(contextWindow)} tokens`]),
  ];
  return { id: name, label: safeLine(name), detail: safeLine(facts.join(', ')), isCurrent: name === current };
}

/** Dollars for a million tokens in and out. */
export function priceText({ input, output }: Prices): string {
  const dollars = (value: number): string => `$${Number(value.toFixed(3))}`;
  return `${dollars(input)} in, ${dollars(output)} out`;
}

/** Switches to another model from the next prompt on; a word that is no effort leaves that to the model. */
export async function use(
  { agent, setup }: Pick<SlashContext, 'agent' | 'setup'>,
  name: string,
  effort: string,
): Promise<ReportItem[]> {
  const chosen = efforts.find((each) => each === effort);
  const given = modelSettings(setup.loaded);
  await agent.useModel({ ...given, model: name, tuning: { ...given.tuning, effort: chosen } });
  const { model: values } = setup.loaded.settings;
  values.name = name;
  setup.hasChosenModel = true;
  if (chosen) values.effort = chosen;
  else delete values.effort;
  const thinks = chosen ? `, reasoning effort ${chosen}` : '';
  return [
    textItem(
      `Now using ${modelName(agent.model)}${thinks}. /settings model.name keeps it for later.`,
      'good',
    ),
  ];
}
