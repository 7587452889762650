import type { SafeDiff, SafeFile } from '../../app/safe-text.js';
import { changedWords, type WordPart } from './changed-words.js';
import { highlightCode, languageOfPath } from './highlight.js';
import { line, type Span, type StyledLine, wrap } from './line.js';
import type { Background } from './theme.js';

/** Each changed file under a heading; the marks `+` and `-` stay, so that it reads without colours too. */
export function renderDiff(diff: SafeDiff, width: number): StyledLine[] {
  if (diff.length === 0) return [line('Nothing changed.', { dim: true })];
  return diff.flatMap((file) => [...wrap(diffHeading(file), width), ...renderChanges(file, width)]);
}

function diffHeading({ change, path, unified, added, removed }: SafeFile): StyledLine {
  const name = { text: `${change} ${path} `, style: { bold: true } };
  // A folder has no lines.
  if (unified === '') return [name];
  return [
    name,
    { text: `+${added}`, style: { color: 'green' } },
    { text: ' ' },
    { text: `-${removed}`, style: { color: 'red' } },
  ];
}

/** A line of a file before or after the change. */
interface DiffRow {
  mark: ' ' | '+' | '-';
  number: number;
  text: string;
}

/** A row, a gap between two places of the file, or a remark such as a missing newline at the end. */
type DiffItem = DiffRow | 'gap' | { remark: string };

/** The changed lines of one file with their numbers, without a heading. */
export function renderChanges({ unified, path }: SafeFile, width: number): StyledLine[] {
  const items = itemsOf(unified);
  const rows = items.filter(isRow);
  const digits = String(Math.max(0, ...rows.map(({ number }) => number))).length;
  const spans = codeSpans(rows, languageOfPath(path));
  return items.flatMap((item) => {
    if (item === 'gap') return [line(`${' '.repeat(digits)} ...`, { dim: true })];
    if ('remark' in item) return wrap(line(`  ${item.remark}`, { dim: true }), width);
    return renderRow(item, spans.get(item) ?? [], { digits, width });
  });
}

function isRow(item: DiffItem): item is DiffRow {
  return item !== 'gap' && 'mark' in item;
}

function itemsOf(unified: string): DiffItem[] {
  const items: DiffItem[] = [];
  let [before, after] = [0, 0];
  const rows = unified.replace(/\n$/, '').split('\n');
  const start = rows[0]?.startsWith('--- ') && rows[1]?.startsWith('+++ ') ? 2 : 0;
  for (const row of rows.slice(start)) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(row);
    if (hunk) {
      if (items.length > 0) items.push('gap');
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
    } else if (row.startsWith('+')) items.push({ mark: '+', number: after++, text: row.slice(1) });
    else if (row.startsWith('-')) items.push({ mark: '-', number: before++, text: row.slice(1) });
    else if (row.startsWith(' ')) {
      items.push({ mark: ' ', number: after++, text: row.slice(1) });
      before += 1;
    } else if (row !== '') items.push({ remark: row.replace(/^\\ /, '') });
  }
  return items;
}

/** The rows with the colours of their language, read as the file was before and as it would be. */
function codeSpans(rows: readonly DiffRow[], language: string): Map<DiffRow, readonly Span[]> {
  const spans = new Map<DiffRow, readonly Span[]>();
  for (const other of ['+', '-'] as const) {
    const side = rows.filter(({ mark }) => mark !== other);
    const colored = highlightCode(language, side.map(({ text }) => text).join('\n'));
    for (const [index, row] of side.entries()) spans.set(row, colored?.[index] ?? [{ text: row.text }]);
  }
  for (const [removed, added] of replacedPairs(rows)) {
    const words = changedWords(removed.text, added.text);
    if (!words) continue;
    spans.set(removed, marked(spans.get(removed) ?? [], words.before, 'removedWord'));
    spans.set(added, marked(spans.get(added) ?? [], words.after, 'addedWord'));
  }
  return spans;
}

/** The n-th of some removed lines and the n-th of the added ones right behind them. */
function replacedPairs(rows: readonly DiffRow[]): [DiffRow, DiffRow][] {
  const pairs: [DiffRow, DiffRow][] = [];
  for (let at = 0; at < rows.length; ) {
    const removed = run(rows, at, '-');
    const added = run(rows, at + removed.length, '+');
    if (removed.length > 0 && removed.length === added.length)
      for (const [index, row] of removed.entries()) pairs.push([row, added[index] as DiffRow]);
    at += Math.max(1, removed.length + added.length);
  }
  return pairs;
}

function run(rows: readonly DiffRow[], from: number, mark: DiffRow['mark']): DiffRow[] {
  const end = rows.findIndex((row, index) => index >= from && row.mark !== mark);
  return rows.slice(from, end === -1 ? undefined : end);
}

/** Cuts coloured spans where the changed words begin and end. */
function marked(spans: readonly Span[], words: readonly WordPart[], background: Background): Span[] {
  const result: Span[] = [];
  const left = spans.map((span) => ({ ...span }));
  for (const { text, changed } of words) {
    for (let count = text.length; count > 0 && left[0]; ) {
      const span = left[0];
      const piece = span.text.slice(0, count);
      // The colours of a language are hard to read on the mark of a changed word.
      const { color: _, ...plain } = span.style ?? {};
      result.push({ text: piece, style: changed ? { ...plain, background } : { ...span.style } });
      span.text = span.text.slice(piece.length);
      if (span.text === '') left.shift();
      count -= piece.length;
    }
  }
  return [...result, ...left];
}

function renderRow(
  { mark, number, text }: DiffRow,
  spans: readonly Span[],
  { digits, width }: { digits: number; width: number },
): StyledLine[] {
  const background = mark === '+' ? 'added' : mark === '-' ? 'removed' : undefined;
  const shown = spans.length > 0 ? spans : [{ text }];
  const whole = background ? shown.map((span) => behind(span, background)) : shown;
  const parts = wrap(whole, Math.max(8, width - digits - 3), { code: true });
  return parts.map((part, index) => {
    const gutter = index === 0 ? String(number).padStart(digits) : ' '.repeat(digits);
    const sign: Span = background
      ? {
          text: index === 0 ? `${mark} ` : '  ',
          style: { bold: true, color: mark === '+' ? 'green' : 'red', background },
        }
      : { text: '  ' };
    return [{ text: `${gutter} `, style: { dim: true } }, sign, ...part];
  });
}

/** A comment is slanted there: faint letters can't be read on a colour. */
function behind(span: Span, background: Background): Span {
  const { dim, ...style } = span.style ?? {};
  return {
    ...span,
    style: { ...style, italic: dim ? true : style.italic, background: style.background ?? background },
  };
}
