import type { Agent, ContextShare, Prices } from '@toolwright/core';
import { formatAbout, plural, statsOfSession, type Totals } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe } from '../../app/safe-text.js';
import { SUMMARISED_AT } from '../../ui/render/working/status.js';
import { modelName } from '../greeting.js';
import { windowOf } from '../look/status.js';
import type { SlashContext } from '../slash-context.js';
import { priceText } from './model.js';

const names: Record<ContextShare['what'], string> = {
  instructions: 'Instructions',
  tools: 'Tools',
  prompts: 'Prompts, files',
  answers: 'Answers, calls',
  results: 'Results',
  media: 'Images, pages',
};

/** `/context`: what fills the window, as a bar. */
export function context({ agent }: SlashContext): ReportItem[] {
  const { tokens: total, isKnown } = windowOf(agent);
  const parts = agent
    .contextShares()
    .filter(({ tokens }) => tokens > 0)
    .map(({ what, tokens }) => ({ name: safe(names[what]), value: tokens }));
  const mark = SUMMARISED_AT / 100;
  const shares = { title: safe('Context'), total, unit: safe('tokens'), parts, mark };
  const notes = [
    ...(isKnown ? [] : ['The window of this model is not known; this size is assumed.']),
    `At ${SUMMARISED_AT} % the earlier part is summarised. /compact does that now, /clear starts over.`,
  ];
  return [{ kind: 'shares', shares, tone: 'plain' }, textItem(notes.join('\n'))];
}

type Used = Pick<SlashContext, 'signal'> & { agent: Pick<Agent, 'session' | 'factsOf' | 'model'> };

/** `/stats`: the numbers of the whole session, also of what came before it was taken up again. */
export async function stats({ agent, signal }: Used): Promise<ReportItem[]> {
  const { model, session, factsOf } = agent;
  const { total } = await statsOfSession(session.journalPath, { table: factsOf, signal });
  const failed = total.failedCalls > 0 ? `, ${total.failedCalls} of them failed or refused` : '';
  const cached = total.cachedTokens > 0 ? ` (${total.cachedTokens} cached)` : '';
  return [
    textItem(
      [
        `  Model       ${modelName(model)}`,
        `  Prompts     ${total.prompts}, answered in ${plural(total.answers, 'turn')}`,
        `  Tool calls  ${total.calls}${failed}`,
        `  Changes     ${total.changes}`,
        `  Tokens      ${total.inputTokens} in${cached}, ${total.outputTokens} out`,
        `  Session     ${session.id}`,
        `  Journal     ${session.journalPath}`,
      ].join('\n'),
    ),
  ];
}

/** `/cost`: tokens and dollars, as far as prices are known, of each model that answered in this session. */
export async function cost({ agent, signal }: Used): Promise<ReportItem[]> {
  const { model, session, factsOf } = agent;
  const { total, models } = await statsOfSession(session.journalPath, { table: factsOf, signal });
  const cached = total.cachedTokens > 0 ? `, ${formatAbout(total.cachedTokens)} of them cached` : '';
  // A model that only subagents asked has given no answer of the conversation.
  const answered = Object.entries(models).filter(
    ([, { answers, inputTokens, outputTokens }]) => answers + inputTokens + outputTokens > 0,
  );
  const used = answered.length > 0 ? answered : [[model.model, total] as const];
  const costs = used.map(([name, totals]) => ({
    name,
    words: costWords(name, totals, factsOf(name).prices),
  }));
  const lines = costs.length === 1 ? [costs[0]!.words] : [sumWords(total), ...costs.map(namedCost)];
  return [
    textItem(
      [
        `  Model   ${modelName(model)}`,
        `  Tokens  ${formatAbout(total.inputTokens)} in${cached}, ${formatAbout(total.outputTokens)} out`,
        `  Cost    ${lines.join('\n          ')}`,
      ].join('\n'),
    ),
  ];
}

function namedCost({ name, words }: { name: string; words: string }): string {
  return `${name}: ${words}`;
}

function sumWords({ cost: dollars, unpriced }: Totals): string {
  return `about $${dollars.toFixed(4)}${unpriced > 0 ? `, without ${plural(unpriced, 'answer')} whose price is not known` : ''}`;
}

function costWords(name: string, { cost: dollars, unpriced }: Totals, prices: Prices | undefined): string {
  if (name === 'offline') return 'free: the offline model runs locally';
  if (!prices) return `unknown: there is no price for ${name}. models.json in the state folder can set one.`;
  const asOf = prices.asOf ? `, prices of ${prices.asOf}` : '';
  const told = unpriced > 0 ? `; ${plural(unpriced, 'answer')} did not tell its tokens` : '';
  return `about $${dollars.toFixed(4)} (${priceText(prices)} per million tokens${asOf})${told}`;
}
