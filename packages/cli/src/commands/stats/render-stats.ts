import {
  formatDuration,
  formatNumber,
  plural,
  type Stats,
  type ToolTotals,
  type Totals,
} from '@toolwright/core/front-end';
import { type Appearance, line, type StyledLine, widthOf, wrap } from '../../ui/render/line.js';
import { barOf } from '../../ui/render/plots/bar.js';

export interface StatsPlace {
  width: number;
  appearance: Appearance;
}

/** Draws tables for people: by day with a plot, by model, by tool. */
export function renderStats(stats: Stats, place: StatsPlace): StyledLine[] {
  const { total, from, to, unread } = stats;
  const said = (text: string): StyledLine[] => wrap(line(text), place.width);
  const missing = unread > 0 ? said(`${plural(unread, 'journal')} could not be read to the end.`) : [];
  if (total.sessions === 0) return [...said(`No sessions from ${from} to ${to}.`), ...missing];
  return [
    ...said(
      `${from} to ${to}: ${plural(total.sessions, 'session')}, ${plural(total.prompts, 'prompt')}, ${plural(total.calls, 'call')}, ${formatNumber(tokensOf(total))} tokens${costText(total)}`,
    ),
    ...said(
      `${questionsText(total)} Changes: ${formatNumber(total.changes)} made, ${formatNumber(total.undone)} undone.`,
    ),
    ...missing,
    ...totalsTable('day', sorted(stats.days), place),
    ...totalsTable('model', byTokens(stats.models), place),
    ...toolsTable(stats.tools, place),
  ];
}

function questionsText({ questions, agreed, questionMs }: Totals): string {
  if (questions === 0) return 'No questions.';
  const open = formatDuration(questionMs);
  return `Questions: ${formatNumber(questions)}, ${formatNumber(agreed)} answered with yes, open for ${open}.`;
}

/** A column of a table; where there is no room for all, those go first that have the lowest rank. */
interface Column {
  head: string;
  rank: number;
  cells: string[];
}

type Row<Numbers> = readonly [name: string, numbers: Numbers];

function totalsTable(name: string, rows: readonly Row<Totals>[], place: StatsPlace): StyledLine[] {
  const of = (head: string, rank: number, cell: (totals: Totals) => string): Column => ({
    head,
    rank,
    cells: rows.map(([, totals]) => cell(totals)),
  });
  const columns: [Column, ...Column[]] = [
    { head: name, rank: ALWAYS, cells: rows.map(([key]) => key) },
    of('tokens', ALWAYS, (totals) => formatNumber(tokensOf(totals))),
    of('cost', 7, costCell),
    of('model time', 3, ({ modelMs }) => formatDuration(modelMs)),
    of('calls', 6, ({ calls }) => formatNumber(calls)),
    of('failed', 2, ({ failedCalls }) => formatNumber(failedCalls)),
    of('questions', 1, ({ questions }) => formatNumber(questions)),
    of('changes', 5, ({ changes }) => formatNumber(changes)),
    of('undone', 4, ({ undone }) => formatNumber(undone)),
  ];
  const most = Math.max(...rows.map(([, totals]) => tokensOf(totals)));
  const shares = rows.map(([, totals]) => share(tokensOf(totals), most));
  return table(columns, shares, place);
}

function toolsTable(tools: Record<string, ToolTotals>, place: StatsPlace): StyledLine[] {
  const rows = Object.entries(tools).sort(([, left], [, right]) => right.calls - left.calls);
  if (rows.length === 0) return [];
  const of = (head: string, rank: number, cell: (totals: ToolTotals) => string): Column => ({
    head,
    rank,
    cells: rows.map(([, totals]) => cell(totals)),
  });
  const columns: [Column, ...Column[]] = [
    { head: 'tool', rank: ALWAYS, cells: rows.map(([name]) => name) },
    of('calls', ALWAYS, ({ calls }) => formatNumber(calls)),
    of('failed', 4, ({ failed }) => formatNumber(failed)),
    of('refused', 2, ({ denied }) => formatNumber(denied)),
    of('questions', 1, ({ questions }) => formatNumber(questions)),
    of('median', 5, ({ medianMs }) => formatDuration(medianMs)),
    of('in all', 3, ({ totalMs }) => formatDuration(totalMs)),
  ];
  const most = Math.max(...rows.map(([, { calls }]) => calls));
  return table(
    columns,
    rows.map(([, { calls }]) => share(calls, most)),
    place,
  );
}

const ALWAYS = Number.POSITIVE_INFINITY;
const LONGEST_BAR = 24;
const SHORTEST_BAR = 4;
const SHORTEST_NAME = 24;
const GAP = 2;

/** A table with a bar at the end of each row, as long as there is room for it. */
function table(
  [names, ...numbers]: readonly [Column, ...Column[]],
  shares: readonly number[],
  { width, appearance }: StatsPlace,
): StyledLine[] {
  const room = Math.max(SHORTEST_NAME, Math.floor(width / 3));
  const cells = names.cells.map((name) => shortened(name, room, appearance));
  const columns = fitting([{ ...names, cells }, ...numbers], width - SHORTEST_BAR);
  const widths = columns.map(columnWidth);
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => {
        const blanks = ' '.repeat(Math.max(0, widths[index]! - widthOf(cell)));
        return index === 0 ? `${cell}${blanks}` : `${blanks}${cell}`;
      })
      .join(' '.repeat(GAP));
  const longest = Math.min(LONGEST_BAR, width - widths.reduce((sum, each) => sum + each + GAP, 0));
  const rows = shares.map((part, index): StyledLine => {
    const text = row(columns.map((column) => column.cells[index]!));
    if (appearance.linear || longest < SHORTEST_BAR) return line(text);
    return [{ text: `${text}  ` }, { text: barOf(part, longest, appearance), style: { color: 'cyan' } }];
  });
  return [[], line(row(columns.map(({ head }) => head)), { bold: true }), ...rows];
}

/** A long name without its middle: models and tools of one origin differ at their ends. */
function shortened(name: string, width: number, { unicode }: Pick<Appearance, 'unicode'>): string {
  const letters = [...name];
  if (letters.length <= width) return name;
  const mark = unicode ? '…' : '...';
  const kept = width - mark.length;
  const start = Math.floor(kept / 2);
  return `${letters.slice(0, start).join('')}${mark}${letters.slice(start - kept).join('')}`;
}

/** The columns that fit, without those of the lowest rank. */
function fitting(columns: readonly Column[], width: number): readonly Column[] {
  const needed = columns.reduce((sum, column) => sum + columnWidth(column) + GAP, 0);
  const lowest = Math.min(...columns.map(({ rank }) => rank));
  if (needed <= width || lowest === ALWAYS) return columns;
  return fitting(
    columns.filter(({ rank }) => rank !== lowest),
    width,
  );
}

function columnWidth({ head, cells }: Column): number {
  return Math.max(...[head, ...cells].map(widthOf));
}

function share(value: number, most: number): number {
  return most === 0 ? 0 : value / most;
}

function tokensOf({ inputTokens, outputTokens }: Totals): number {
  return inputTokens + outputTokens;
}

function sorted(days: Record<string, Totals>): [string, Totals][] {
  return Object.entries(days).sort(([left], [right]) => (left < right ? -1 : 1));
}

function byTokens(models: Record<string, Totals>): [string, Totals][] {
  return Object.entries(models).sort(([, left], [, right]) => tokensOf(right) - tokensOf(left));
}

/** Nothing is known of the cost where no answer has a price, but those that are free. */
function costCell({ answers, cost, unpriced }: Totals): string {
  return cost > 0 || (answers > 0 && unpriced === 0) ? dollars(cost) : '–';
}

function costText({ cost, unpriced }: Totals): string {
  const unknown = unpriced > 0 ? `; the price of ${plural(unpriced, 'answer')} is not known` : '';
  return cost > 0 || unpriced === 0 ? `, ${dollars(cost)}${unknown}` : unknown;
}

function dollars(cost: number): string {
  return cost === 0 ? '$0' : `$${cost.toFixed(cost < 0.995 ? 3 : 2)}`;
}
