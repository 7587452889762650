import {
  type ShareRow,
  type Shares,
  shareRows,
  sharesHeading,
  sharesText,
  usedOf,
} from '../../../app/shares.js';
import { type Appearance, line, type Span, type StyledLine, wrap } from '../line.js';
import type { Color } from '../theme.js';
import { barOf } from './bar.js';

const WIDEST_BAR = 60;
const NAME_WIDTH = 16;
const COUNT_WIDTH = 9;
const SHARE_WIDTH = 8;
const colors: readonly Color[] = ['blue', 'cyan', 'green', 'magenta', 'yellow', 'red'];

/** A bar of all the parts, each in its colour, and a row for each. */
export function renderShares(shares: Shares, width: number, appearance: Appearance): StyledLine[] {
  if (appearance.linear)
    return sharesText(shares)
      .split('\n')
      .flatMap((row) => wrap(line(row), width));
  const heading = wrap(line(sharesHeading(shares), { bold: true }), width);
  const bar = wholeBar(shares, Math.min(WIDEST_BAR, width - 2), appearance);
  const { parts, free } = shareRows(shares);
  // Without colours the parts of the bar look the same.
  const hasLegend = appearance.color && appearance.unicode;
  const row = ({ name, amount, percent }: ShareRow, sign: Span): StyledLine => [
    { text: '  ' },
    ...(hasLegend ? [sign] : []),
    { text: `${name.padEnd(NAME_WIDTH)}${amount.padStart(COUNT_WIDTH)}${percent.padStart(SHARE_WIDTH)}` },
  ];
  return [
    ...heading,
    [{ text: '  ' }, ...bar],
    ...parts.map((part, index) => row(part, { text: '■ ', style: { color: colorOf(index) } })),
    row(free, { text: '░ ', style: { dim: true } }),
  ];
}

function colorOf(index: number): Color {
  return colors[index % colors.length]!;
}

function wholeBar(shares: Shares, width: number, appearance: Appearance): StyledLine {
  const { parts, total, mark } = shares;
  const bar = [...barOf(usedOf(shares) / total, width, appearance)];
  const spans: Span[] = [];
  let until = 0;
  let from = 0;
  for (const [index, { value }] of parts.entries()) {
    until += value;
    const isLast = index === parts.length - 1;
    const end = isLast ? bar.length : Math.min(bar.length, Math.round((until / total) * width));
    spans.push({ text: bar.slice(from, end).join(''), style: { color: colorOf(index) } });
    from = Math.max(from, end);
  }
  return [...spans.filter(({ text }) => text !== ''), ...freePart(bar.length, { width, mark, appearance })];
}

interface FreePart {
  width: number;
  mark: number;
  appearance: Appearance;
}

/** The free columns, with a sign where something will happen. */
function freePart(from: number, { width, mark, appearance: { unicode } }: FreePart): Span[] {
  const at = Math.round(mark * width);
  const track = (count: number): Span => ({
    text: (unicode ? '░' : '.').repeat(Math.max(0, count)),
    style: { dim: true },
  });
  if (at < from || at >= width) return [track(width - from)];
  const sign: Span = { text: unicode ? '│' : '|', style: { color: 'yellow' } };
  return [track(at - from), sign, track(width - at - 1)].filter(({ text }) => text !== '');
}
