import { lexer, type Token, type Tokens } from 'marked';
import { highlightCode } from './highlight.js';
import { inlineSpans, noMark } from './inline.js';
import { type Appearance, indented, line, type Span, type StyledLine, wrap } from './line.js';
import { renderTable } from './table.js';

/** Quotations and lists within each other on one line, as deep as anybody reads them. */
const MOST_MARKS = 16;

const mark = '[ \\t]*(?:>|[-*+](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))';
const deepMarks = new RegExp(`^((?:${mark}){${MOST_MARKS}}[ \\t]*)(?=[>*+-]|\\d)`, 'gm');

/** Deeper marks are text, and a text that is too deep in other ways for the reader of Markdown is shown as it stands. */
export function markdownTokens(text: string): Token[] {
  try {
    return lexer(text.includes(noMark) ? text : text.replace(deepMarks, `$1${noMark}`));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return text.split(/(?<=\n[ \t]*\n)/).map(asWritten);
  }
}

export function sourceLength({ raw }: Token | Tokens.ListItem): number {
  return raw.length - (raw.split(noMark).length - 1);
}

function asWritten(text: string): Token {
  return { type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text: text.trim() }] };
}

/** Markdown as lines that fit the width. */
export function renderMarkdown(text: string, width: number, appearance: Appearance): StyledLine[] {
  return renderBlocks(markdownTokens(text), width, appearance);
}

function renderBlocks(tokens: readonly Token[], width: number, appearance: Appearance): StyledLine[] {
  const lines: StyledLine[] = [];
  let before: string | null = null;
  for (const token of tokens) {
    const block = renderBlock(token, width, appearance);
    if (block.length === 0) continue;
    if (needsBlank(before, kindOf(token))) lines.push([]);
    lines.push(...block);
    before = kindOf(token);
  }
  return lines;
}

/** A numbered list and one with bullets are two kinds of block. */
export function kindOf(token: Token): string {
  return token.type === 'list' && (token as Tokens.List).ordered ? NUMBERED : token.type;
}

const NUMBERED = 'numbered list';

/** Between any two blocks, but for the parts of one list. */
export function needsBlank(before: string | null, next: string): boolean {
  return before !== null && !(before === next && (next === 'list' || next === NUMBERED));
}

/** Renders one block; blank lines and definitions of links give no lines. */
export function renderBlock(token: Token, width: number, appearance: Appearance): StyledLine[] {
  const block = token as Tokens.Generic;
  switch (block.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return renderHeading(block as Tokens.Heading, width, appearance);
    case 'code':
      return renderCode(languageOfFence((block as Tokens.Code).lang), (block as Tokens.Code).text, width);
    case 'blockquote':
      return renderQuote(block as Tokens.Blockquote, width, appearance);
    case 'list':
      return (block as Tokens.List).items.flatMap((item) =>
        renderItem(item, (block as Tokens.List).ordered, { width, appearance }),
      );
    case 'table':
      return renderTable(block as Tokens.Table, width, appearance);
    case 'hr':
      return [line((appearance.unicode ? '─' : '-').repeat(Math.min(width, 40)), { dim: true })];
    case 'html':
      return block.raw
        .trimEnd()
        .split('\n')
        .flatMap((text) => wrap(line(text), width));
    default:
      return renderProse(inlineSpans(block.tokens ?? [token]), width);
  }
}

function renderHeading(
  { depth, tokens }: Tokens.Heading,
  width: number,
  appearance: Appearance,
): StyledLine[] {
  const style = { bold: true, color: depth <= 2 ? ('magenta' as const) : undefined };
  // Without styles the marks are what makes a heading one.
  const mark: Span[] = appearance.color ? [] : [{ text: `${'#'.repeat(depth)} ` }];
  return renderProse([...mark, ...inlineSpans(tokens, style)], width);
}

/** The first word after the marks of a fence. */
export function languageOfFence(info: string | undefined): string {
  return /^[\w+#.-]+/.exec(info ?? '')?.[0].toLowerCase() ?? '';
}

/** Code with the colours of its language, where that is known. */
function renderCode(language: string, text: string, width: number): StyledLine[] {
  const rows = highlightCode(language, text) ?? text.split('\n').map(plainCode);
  return rows.flatMap((row) => renderCodeRow(row, width));
}

function plainCode(text: string): StyledLine {
  return line(text, { color: 'green' });
}

function renderCodeRow(row: StyledLine, width: number): StyledLine[] {
  return indented(wrap(row, width - 4, { preformatted: true }), { text: '    ' });
}

/** Draws some rows of code, read after those before them: a comment or a string may have begun there. */
export function renderCodeAfter(
  before: string,
  { language, text, width }: { language: string; text: string; width: number },
): StyledLine[] {
  const rows = highlightCode(language, `${before}${text}`)?.slice(before.split('\n').length - 1);
  return rows ? rows.flatMap((row) => renderCodeRow(row, width)) : renderCode('', text, width);
}

/** Narrower than this, what is inside stands as wide as what is around it. */
const LEAST_WIDTH = 12;

function renderQuote({ tokens }: Tokens.Blockquote, width: number, appearance: Appearance): StyledLine[] {
  if (width < LEAST_WIDTH) return renderBlocks(tokens, width, appearance);
  const bar: Span = { text: appearance.unicode ? '│ ' : '> ', style: { dim: true } };
  return indented(renderBlocks(tokens, width - 2, appearance), bar);
}

/** Numbers stand as they were written: what is already on the screen can't be renumbered. */
function renderItem(
  item: Tokens.ListItem,
  ordered: boolean,
  { width, appearance }: { width: number; appearance: Appearance },
): StyledLine[] {
  const written = /^\s*(\d{1,9})[.)]/.exec(item.raw)?.[1];
  const mark = ordered && written ? `${written}. ${boxOf(item)}` : bulletOf(item, appearance);
  const isNarrow = width < LEAST_WIDTH;
  const lines = item.tokens.flatMap((token) =>
    renderBlock(token, isNarrow ? width : width - mark.length, appearance),
  );
  if (isNarrow) return lines;
  return indented(
    lines.length > 0 ? lines : [[]],
    { text: mark, style: { color: 'cyan' } },
    { text: ' '.repeat(mark.length) },
  );
}

function bulletOf(item: Tokens.ListItem, { unicode }: Appearance): string {
  if (!unicode) return `- ${boxOf(item)}`;
  return item.task ? (item.checked ? '☑ ' : '☐ ') : '• ';
}

function boxOf({ task, checked }: Tokens.ListItem): string {
  return task ? (checked ? '[x] ' : '[ ] ') : '';
}

/** Wrapped, with the line breaks that were meant. */
function renderProse(spans: readonly Span[], width: number): StyledLine[] {
  const rows: Span[][] = [[]];
  for (const span of spans) {
    if (span.text === '\n') rows.push([]);
    else rows.at(-1)?.push(span);
  }
  return rows.flatMap((row) => wrap(row, width));
}
