import { efforts, formatAbout, type ListedModel, type Prices } from '@toolwright/core';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeLine } from '../../app/safe-text.js';
import type { PickerItem } from '../../app/typing/picker.js';
import { modelSettings } from '../../setup/runtime.js';
import { modelName } from '../greeting.js';
import type { SlashContext } from '../slash-context.js';

const UNSET = 'as it likes';

/** `/model`, `/model NAME`: from the next prompt on another model answers. */
export async function model(context: SlashContext, rest: string): Promise<ReportItem[]> {
  const { agent, setup } = context;
  if (agent.model.provider === 'offline')
    return [textItem('The built-in offline model answers here. /connect sets up another one.', 'warning')];
  const [name = '', effort = ''] = rest.split(/\s+/);
  const { effort: now = UNSET } = setup.loaded.settings.model;
  if (name !== '') return use(context, name, effort || now);
  const picked = await context.front.pick(
    {
      title: safe('Which model answers?'),
      ...(await listed(context)),
      typed: 'filter',
      start: agent.model.model,
      dial: { name: safe('reasoning effort'), values: [UNSET, ...efforts], value: now },
      verb: safe('uses it'),
    },
    { signal: context.signal },
  );
  return picked ? use(context, picked.id, picked.dial) : [];
}

async function listed({
  agent,
  signal,
  setup,
}: SlashContext): Promise<{ about: ReturnType<typeof safe>; items: PickerItem[] }> {
  const { fallback = [] } = setup.loaded.settings.model;
  const spare =
    fallback.length > 0
      ? ` When it can't answer: ${fallback.join(', ')}.`
      : ' No fallback is set (model.fallback in /settings).';
  let problem = '';
  const models = await Promise.resolve(agent.model.list?.(signal)).catch((error: unknown) => {
    signal.throwIfAborted();
    problem = ` The server does not list its models: ${error instanceof Error ? error.message : String(error)}`;
    return undefined;
  });
  const all = models ?? [];
  const known = all.some(({ name }) => name === agent.model.model)
    ? all
    : [{ name: agent.model.model }, ...all];
  const sorted = known.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return {
    about: safe(`${modelName(agent.model)} answers now.${spare}${problem}`),
    items: sorted.map((each) => itemOf(each, context(agent, each), each.name === agent.model.model)),
  };
}

function context(agent: SlashContext['agent'], { name, contextWindow, prices }: ListedModel): ListedModel {
  const facts = agent.factsOf(name);
  const window = contextWindow ?? facts.contextWindow;
  const price = prices ?? facts.prices;
  return {
    name,
    ...(window === undefined ? {} : { contextWindow: window }),
    ...(price ? { prices: price } : {}),
  };
}

function itemOf(
  { name, label }: ListedModel,
  { contextWindow, prices }: ListedModel,
  isCurrent: boolean,
): PickerItem {
  const facts = [
    ...(label ? [label] : []),
    ...(prices ? [priceText(prices)] : []),
    ...(contextWindow === undefined ? [] : [`${formatAbout(contextWindow)} tokens`]),
  ];
  return { id: name, label: safeLine(name), detail: safeLine(facts.join(', ')), isCurrent };
}

/** Dollars for a million tokens in and out. */
export function priceText({ input, output }: Prices): string {
  const dollars = (value: number): string => `$${Number(value.toFixed(3))}`;
  return `${dollars(input)} in, ${dollars(output)} out`;
}

/** From the next prompt on this model answers; what is no effort leaves that to the model. */
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
  if (chosen) values.effort = chosen;
  else delete values.effort;
  const thinks = chosen ? `, reasoning effort ${chosen}` : '';
  return [
    textItem(
      `${modelName(agent.model)} answers from now on${thinks}. /settings model.name keeps it for later.`,
      'good',
    ),
  ];
}
