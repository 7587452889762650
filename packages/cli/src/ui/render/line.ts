import { terminalSafe } from '@toolwright/core/front-end';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { type Background, type Color, dark, type Theme } from './theme.js';

export interface Style {
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strike?: boolean;
  color?: Color;
  background?: Background;
  /** The address that the terminal opens for this text. */
  link?: string;
}

/** A stretch of text in one style. */
export interface Span {
  text: string;
  style?: Style;
}

/** A line of the screen as data: layout happens here, escape sequences are added by `paint` alone. */
export type StyledLine = readonly Span[];

/** Appearance of the output, as far as the terminal allows. */
export interface Appearance {
  color: boolean;
  /** Box lines and bullets beyond ASCII. */
  unicode: boolean;
  /** True if nothing is laid out in columns: for a reader that speaks line after line. */
  linear: boolean;
  /** The terminal knows 256 colours. */
  manyColors?: boolean;
  theme?: Theme;
  /** The terminal makes links of addresses. */
  links?: boolean;
}

const TAB = 4;

export function line(text: string, style?: Style): StyledLine {
  return [style ? { text, style } : { text }];
}

export function textOfLine(spans: StyledLine): string {
  return spans.map(({ text }) => text).join('');
}

export function widthOf(text: string): number {
  return stringWidth(text);
}

/**
 * Breaks a line so that every part fits. Prose breaks between words and loses the blanks at the break;
 * preformatted text breaks anywhere and loses nothing. Code loses nothing either, and breaks between words or behind a sign.
 */
export function wrap(
  spans: StyledLine,
  width: number,
  { preformatted = false, code = false } = {},
): StyledLine[] {
  const whole = composed(spans);
  const text = textOfLine(whole);
  const columns = Math.max(2, width);
  if (text.length <= columns && widthOf(text) <= columns) return [whole];
  if (code && text.length <= LONGEST_CODE) return cutAt(whole, codeRows(text, columns));
  const isWhole = preformatted || code;
  const rows = wrapAnsi(text, columns, { hard: true, trim: false, wordWrap: !isWhole }).split('\n');
  if (isWhole) return cutAt(whole, rows);
  const lines: StyledLine[] = [];
  let at = 0;
  rows.forEach((row, index) => {
    const lead = index === 0 ? 0 : row.length - row.trimStart().length;
    const kept = row.trimEnd();
    if (index === 0 || kept.length > lead)
      lines.push(slice(whole, at + lead, at + Math.max(lead, kept.length)));
    at += row.length;
  });
  return lines;
}

function cutAt(whole: StyledLine, rows: readonly string[]): StyledLine[] {
  let at = 0;
  return rows.map((row) => {
    at += row.length;
    return slice(whole, at - row.length, at);
  });
}

/** A longer line is no code that somebody wrote, and breaks anywhere. */
const LONGEST_CODE = 2_000;

function codeRows(text: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(row + segment) > columns) {
      const at = breakOf(row);
      rows.push(row.slice(0, at));
      row = row.slice(at);
    }
    row += segment;
  }
  return [...rows, row];
}

/** The place behind the last blank of a row, or else its last sign, where that leaves more than half of it. */
function breakOf(row: string): number {
  const places = [row.lastIndexOf(' ') + 1, (/^.*[,;()[\]{}./=&|+:-]/.exec(row)?.[0] ?? '').length];
  return places.find((at) => at > row.length / 2) ?? row.length;
}

/** Composes characters, so that wrapping keeps the length; drops newlines and turns tabs into blanks. */
function composed(spans: StyledLine): StyledLine {
  const whole = spans.map((span) => ({ ...span, text: flat(span.text) }));
  const text = textOfLine(whole);
  const joined = text.normalize();
  const isSame = joined.length === text.length;
  // A mark that joins a letter across a border of styles: rare enough to give up the styles.
  return isSame ? whole : [{ ...whole[0], text: joined }];
}

function flat(text: string): string {
  return expandTabs(text.replaceAll('\n', ' ')).normalize();
}

export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  let result = '';
  for (const [index, piece] of text.split('\t').entries()) {
    if (index > 0) result += ' '.repeat(TAB - (widthOf(result) % TAB));
    result += piece;
  }
  return result;
}

function slice(spans: StyledLine, from: number, to: number): StyledLine {
  const parts: Span[] = [];
  let at = 0;
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text !== '') parts.push({ ...span, text });
    at += span.text.length;
  }
  return parts;
}

/** The lines with something before them: one text for the first line, another for the rest. */
export function indented(lines: readonly StyledLine[], first: Span, rest: Span = first): StyledLine[] {
  return lines.map((spans, index) => [index === 0 ? first : rest, ...spans]);
}

/** Cuts a line at a number of columns and marks the cut. */
export function clipped(
  spans: StyledLine,
  width: number,
  appearance: Pick<Appearance, 'unicode'>,
): StyledLine {
  const mark = appearance.unicode ? '…' : '...';
  const [first = [], second] = wrap(spans, width, { preformatted: true });
  if (!second) return first;
  const [shorter = []] = wrap(spans, Math.max(2, width - mark.length), { preformatted: true });
  return [...shorter, { text: mark, style: { dim: true } }];
}

/** The only place that writes escape sequences for styles. Text is made harmless again on its way through. */
export function paint(
  spans: StyledLine,
  appearance: Pick<Appearance, 'color' | 'manyColors' | 'theme' | 'links'>,
): string {
  return spans
    .map(({ text, style }) => {
      const harmless = expandTabs(terminalSafe(text).replaceAll('\n', ' '));
      const codes = appearance.color && style ? codesOf(style, appearance) : [];
      const shown =
        codes.length === 0 || harmless === '' ? harmless : `\x1b[${codes.join(';')}m${harmless}\x1b[0m`;
      return appearance.links && style?.link ? linked(shown, style.link) : shown;
    })
    .join('');
}

/** Plain addresses of the web become links; anything else that a text may name is not opened by a click. */
const plainAddress = /^https?:\/\/[!-~]{1,1000}$/;

function linked(shown: string, address: string): string {
  return plainAddress.test(address) ? `\x1b]8;;${address}\x07${shown}\x1b]8;;\x07` : shown;
}

function codesOf(
  { bold, dim, italic, underline, strike, color, background }: Style,
  { theme = dark, manyColors = false }: Pick<Appearance, 'manyColors' | 'theme'>,
): string[] {
  const behind = background && (manyColors ? theme.backgrounds?.[background] : undefined);
  const mark = background && behind === undefined ? markOf(background) : undefined;
  const front = mark?.color ?? color;
  return [
    ...(bold ? ['1'] : []),
    ...(dim ? [theme.dim ?? '2'] : []),
    ...(italic ? ['3'] : []),
    ...(underline ? ['4'] : []),
    ...(mark?.isWord ? ['7'] : []),
    ...(strike ? ['9'] : []),
    ...(front ? [theme.colors[front]] : []),
    ...(behind === undefined ? [] : [behind]),
  ];
}

/** The same without a colour behind it. */
function markOf(background: Background): { color: Color; isWord: boolean } {
  const isWord = background === 'addedWord' || background === 'removedWord';
  return { color: background.startsWith('added') ? 'green' : 'red', isWord };
}
