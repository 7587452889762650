import {
  choicesOf,
  newQuestion,
  type OpenQuestion,
  type QuestionSize,
} from '../../../app/asking/open-question.js';
import { grantLimits, type Question } from '../../../app/question.js';
import { renderChanges, renderDiff } from '../diff.js';
import type { Frame, Screen } from '../frame.js';
import {
  type Appearance,
  clipped,
  indented,
  line,
  type Span,
  type StyledLine,
  textOfLine,
  widthOf,
  wrap,
} from '../line.js';
import { layoutInput } from '../typing/input.js';

interface QuestionPlace {
  screen: Screen;
  appearance: Appearance;
}

const inset: Span = { text: '  ' };
/** The mark of the line for a yes to what was not seen to its end. */
export const DELIBERATE_MARK = 'You have not seen all of it. Type yes to agree: ';
/** Facts stand below the changes as long as they are few; more of them scroll with the rest. */
const MOST_FACTS = 4;
const LEAST_ROOM = 3;
/** Lines of a change that are seen first, whatever else there is to say but warnings. */
const CHANGES_SEEN = 10;

/** Gives the lines of a question but its answers: the title, warnings, the command, the changes, what was printed, facts. */
export function renderQuestion(question: Question, width: number): StyledLine[] {
  const { warnings, command, changes, printed } = renderParts(question, width);
  const body = [...warnings, ...command, ...changes, ...printed];
  return [...renderTitle(question, width), ...body, ...renderFacts(question, width)];
}

/** The number of lines above what a command printed. */
export function linesBeforePrinted(question: Question, width: number): number {
  const { printed } = renderParts(question, width);
  return renderQuestion(question, width).length - renderFacts(question, width).length - printed.length;
}

function renderTitle({ title }: Question, width: number): StyledLine[] {
  const mark: Span = { text: '? ', style: { color: 'yellow', bold: true } };
  // No line ends between the two counts.
  const joined = title.replace(/ (\(?\+\d+) (-\d+)\b/, ' $1\u00a0$2');
  const rows = wrap(line(joined, { bold: true }), width - 2);
  // A blank of the same kind in a name stays: it tells that name from another one.
  const apart = (text: string): string => text.replace(/(?<=\+\d+)\u00a0(?=-\d)/, ' ');
  return indented(
    rows.map((spans) => spans.map((span) => ({ ...span, text: apart(span.text) }))),
    mark,
    inset,
  );
}

function renderFacts({ facts }: Question, width: number): StyledLine[] {
  const rows = facts.flatMap((fact) => fact.split('\n'));
  return indented(
    rows.flatMap((row) => wrap(line(row, { dim: true }), width - 2)),
    inset,
  );
}

type BodyPart = 'warnings' | 'command' | 'changes' | 'printed';

function renderParts(question: Question, width: number): Record<BodyPart, StyledLine[]> {
  const { warnings = [], command, diff, text } = question;
  const rows = (shown: string): StyledLine[] =>
    shown.split('\n').flatMap((row) => renderWritten(row, width - 2));
  const red = warnings.flatMap((warning) => wrap(line(warning, { color: 'red', bold: true }), width - 2));
  const gap: StyledLine[] = diff && diff.length > 0 && text ? [[]] : [];
  return {
    warnings: indented(red, inset),
    command: indented(command ? rows(command) : [], inset),
    changes: indented(renderDiffOf(question, width - 2), inset),
    printed: indented([...gap, ...(text ? rows(text) : [])], inset),
  };
}

/** A line of somebody else's text; what does not fit goes on below it, as far in as it began. */
function renderWritten(row: string, width: number): StyledLine[] {
  const blanks = row.length - row.trimStart().length;
  const lead = blanks < width / 2 ? blanks : 0;
  const rows = wrap(line(row.slice(lead), { color: 'cyan' }), width - lead, { code: true });
  return lead === 0 ? rows : rows.map((spans) => [{ text: ' '.repeat(lead) }, ...spans]);
}

/** The title of a question about one file names it already. */
function renderDiffOf({ title, diff }: Question, width: number): StyledLine[] {
  if (!diff) return [];
  const [only, second] = diff;
  const isNamed = only && !second && title.includes(` ${only.path} +`);
  return isNamed ? renderChanges(only, width) : renderDiff(diff, width);
}

interface Layout {
  title: StyledLine[];
  body: StyledLine[];
  facts: StyledLine[];
  below: Frame;
  room: number;
}

function layOut(open: OpenQuestion, { screen }: QuestionPlace): Layout {
  const width = screen.columns - 1;
  const title = renderTitle(open.question, width);
  const allFacts = renderFacts(open.question, width);
  const { warnings, command, changes, printed } = renderParts(open.question, width);
  // A line stays free below, for a hint.
  const free = screen.rows - 2 - title.length;
  const spare = free - renderPage(newQuestion(0, open.question), width).lines.length;
  const all = [warnings, command, changes, printed, allFacts].reduce((sum, part) => sum + part.length, 0);
  const hides = (above: number, factRows: number): boolean =>
    all > spare && spare - factRows - above - 1 < Math.min(CHANGES_SEEN, changes.length);
  const areFew = allFacts.length <= MOST_FACTS && !hides(warnings.length, allFacts.length);
  const facts = areFew ? allFacts : [];
  const isLong = hides(warnings.length + command.length, facts.length);
  const middle = isLong ? [...changes, ...command] : [...command, ...changes];
  const body = [...warnings, ...middle, ...printed, ...(areFew ? [] : allFacts)];
  const below = renderPage(open, width);
  const room = Math.max(LEAST_ROOM, free - facts.length - below.lines.length);
  return { title, body, facts, below, room };
}

/** Measured with its answers, so that it does not change its size when a page is turned. */
export function measureQuestion(question: Question, room: QuestionPlace): QuestionSize {
  const { body, room: rows } = layOut(newQuestion(0, question), room);
  return body.length <= rows ? { lines: body.length, room: rows } : { lines: body.length, room: rows - 1 };
}

/** The question as it stands on the screen. */
export function renderOpenQuestion(open: OpenQuestion, place: QuestionPlace): Frame {
  const { title, body, facts, below, room } = layOut(open, place);
  const isCut = body.length > room;
  const rows = isCut ? room - 1 : room;
  const first = Math.max(0, Math.min(open.scroll, body.length - rows));
  const shown = body.slice(first, first + rows);
  const width = place.screen.columns - 1;
  const cut = isCut ? [scrollLine(body.length, { first, rows: shown.length }, width, place.appearance)] : [];
  const isTight =
    isCut || title.length + shown.length + facts.length + below.lines.length > place.screen.rows - 5;
  const air: StyledLine[] = isTight ? [] : [[]];
  const upper = [...air, ...title, ...shown, ...cut, ...facts];
  if (!open.isOpen) return { lines: upper, cursor: null };
  return {
    lines: [...upper, ...air, ...below.lines],
    cursor: below.cursor && { ...below.cursor, row: below.cursor.row + upper.length + air.length },
  };
}

function scrollLine(
  count: number,
  { first, rows }: { first: number; rows: number },
  width: number,
  appearance: Appearance,
): StyledLine {
  const arrows = appearance.unicode ? '↑↓' : 'arrows';
  const below = count - first - rows;
  const where = below > 0 ? `${below} more line${below === 1 ? '' : 's'}` : 'the end';
  const span = `${where}, ${first + 1}-${first + rows} of ${count}`;
  const wordings = [`${span} (${arrows} Space scroll)`, `${span} (${arrows})`, `${where} (${arrows})`];
  const fitting = wordings.find((words) => inset.text.length + widthOf(words) <= width) ?? where;
  const words = line(`${inset.text}${fitting}`, { color: 'yellow', bold: true });
  return clipped(words, width, appearance);
}

/** Draws the page of a question that the keys act on at the moment. */
export function renderPage(open: OpenQuestion, width: number): Frame {
  const { page } = open;
  switch (page.kind) {
    case 'answers':
      return { lines: renderChoices(open, width), cursor: null };
    case 'always':
      return { lines: renderAlways(open, width), cursor: null };
    case 'line': {
      const choice = open.question.choices.find(({ key }) => key === page.key);
      return typedLine(open, `${choice?.asksFor ?? 'Answer'}: `, width);
    }
    case 'deliberate':
      return typedLine(open, DELIBERATE_MARK, width);
  }
}

function typedLine({ reply }: OpenQuestion, mark: string, width: number): Frame {
  const isWide = widthOf(mark) < width / 2;
  const typed = layoutInput(reply, { width, mark: isWide ? mark : '> ', maxRows: 3 });
  const above = isWide ? [] : wrap(line(mark.trimEnd()), width);
  const below = wrap(line('Enter sends, Esc goes back', { dim: true }), width);
  return {
    lines: [...above, ...typed.lines, ...below],
    cursor: { ...typed.cursor, row: typed.cursor.row + above.length },
  };
}

/** Draws the answers, as many in a row as fit. */
function renderChoices(open: OpenQuestion, width: number): StyledLine[] {
  return inRows(
    choicesOf(open).map(({ key, label }) => ({ key, words: label })),
    width,
  );
}

const GAP = 3;

/** Keys with their words, as many in a row as fit; one that is longer than a row goes on below its words. */
function inRows(items: readonly { key: string; words: string }[], width: number): StyledLine[] {
  const rows: Span[][] = [];
  let used = 0;
  for (const { key, words } of items) {
    const spans: Span[] = [{ text: key, style: { bold: true, color: 'yellow' } }, { text: ` ${words}` }];
    const size = widthOf(`${key} ${words}`);
    const row = rows.at(-1);
    const fits = row && used + GAP + size <= width;
    if (fits) row.push({ text: ' '.repeat(GAP) }, ...spans);
    else rows.push(spans);
    used = fits ? used + GAP + size : inset.text.length + size;
  }
  return rows.flatMap((row) =>
    widthOf(textOfLine(row)) + inset.text.length <= width
      ? [[inset, ...row]]
      : indented(wrap(row, width - 4), inset, { text: '    ' }),
  );
}

/** The scopes of a yes, and the keys that change for how long it holds. */
function renderAlways(open: OpenQuestion, width: number): StyledLine[] {
  const { page, question } = open;
  if (page.kind !== 'always') return [];
  const offers = (question.always ?? []).flatMap(({ label, rule }, index) =>
    indented(
      wrap([{ text: label }, { text: `  ${rule}`, style: { dim: true } }], width - 5),
      { text: `  ${index + 1}  `, style: { bold: true, color: 'yellow' } },
      { text: '     ' },
    ),
  );
  const scope = page.scope === 'session' ? 'this session' : 'saved for this workspace';
  const dials = [
    { key: 's', words: `for ${scope}`.replace('for saved', 'saved') },
    { key: 'l', words: grantLimits[page.limit]?.words ?? '' },
    { key: 'Esc', words: 'back' },
  ];
  const heading = indented(wrap(line('Yes, and always allow:', { bold: true }), width - 2), inset);
  return [...heading, ...offers, ...inRows(dials, width)];
}
