import { type ContextShare, costOf, formatAbout } from '@toolwright/core';
import { type ReportItem, textItem } from '../../actions/report.js';
import { modelName } from '../greeting.js';
import type { SlashContext } from '../slash-context.js';
import { priceText } from './model.js';

const ASSUMED_WINDOW = 128_000;
const BAR = 16;
const SHARE_BAR = 10;

const names: Record<ContextShare['what'], string> = {
  instructions: 'Instructions',
  tools: 'Tools',
  prompts: 'Prompts, files',
  answers: 'Answers, calls',
  results: 'Results',
  media: 'Images, pages',
};

/** `/context`: what fills the window, as a bar. */
export function contextBar({ agent }: SlashContext): ReportItem[] {
  const shares = agent.contextShares().filter(({ tokens }) => tokens > 0);
  const known = agent.factsOf().contextWindow ?? agent.model.capabilities?.contextWindow;
  const window = known ?? ASSUMED_WINDOW;
  const used = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  const rows = shares.map(
    ({ what, tokens }) =>
      `  ${names[what].padEnd(16)}${bar(tokens / used, SHARE_BAR)}  ${formatAbout(tokens).padStart(7)}`,
  );
  const free = (Math.round(Math.max(0, window - used) / 1_000) * 1_000).toLocaleString('en').padStart(7);
  return [
    textItem(
      [
        `${bar(used / window, BAR)} ${Math.round((used / window) * 100)} % of ${window.toLocaleString('en')} tokens`,
        ...rows,
        `  ${'Free'.padEnd(18 + SHARE_BAR)}${free}`,
        ...(known === undefined ? ['The window of this model is not known; this size is assumed.'] : []),
        'Sizes are estimates. /compact makes room, /clear starts over.',
      ].join('\n'),
    ),
  ];
}

function bar(share: number, width: number): string {
  const filled = Math.min(width, Math.round(share * width));
  return `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
}

/** `/cost`: tokens and dollars, as far as prices are known. */
export function cost({ agent, state: { totals } }: SlashContext): ReportItem[] {
  const { prices } = agent.factsOf();
  const cached = totals.cachedTokens > 0 ? `, ${formatAbout(totals.cachedTokens)} of them cached` : '';
  const money =
    agent.model.provider === 'offline'
      ? 'nothing: the offline model runs here'
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
