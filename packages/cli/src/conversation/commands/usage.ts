import type { ContextShare } from '@toolwright/core';
import { costOf, formatAbout, totalsOfSession } from '@toolwright/core/front-end';
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

/** `/cost`: tokens and dollars, as far as prices are known. */
export async function cost({ agent, signal }: SlashContext): Promise<ReportItem[]> {
  const totals = await totalsOfSession(agent.session.journalPath, signal);
  const { prices } = agent.factsOf();
  const cached = totals.cachedTokens > 0 ? `, ${formatAbout(totals.cachedTokens)} of them cached` : '';
  const money =
    agent.model.provider === 'offline'
      ? 'free: the offline model runs locally'
      : prices
        ? `about $${costOf(totals, prices).toFixed(4)} (${priceText(prices)} for a million tokens${prices.asOf ? `, prices of ${prices.asOf}` : ''})`
        : `unknown: there is no price for ${agent.model.model}. models.json in the state folder can set one.`;
  return [
    textItem(
      [
        `  Model   ${modelName(agent.model)}`,
        `  Tokens  ${formatAbout(totals.inputTokens)} in${cached}, ${formatAbout(totals.outputTokens)} out`,
        `  Cost    ${money}`,
      ].join('\n'),
    ),
  ];
}
