import { lexer, type Token, type Tokens } from 'marked';
import { inlineSpans } from './inline.js';
import { indented, type Line, type Look, line, type Span, wrap } from './line.js';
import { renderTable } from './table.js';

export function markdownTokens(text: string): Token[] {
  return lexer(text);
}

/** Markdown as lines that fit the width. */
export function renderMarkdown(text: string, width: number, look: Look): Line[] {
  return renderBlocks(markdownTokens(text), width, look);
}

function renderBlocks(tokens: readonly Token[], width: number, look: Look): Line[] {
  const lines: Line[] = [];
  let before: string | null = null;
  for (const token of tokens) {
    const block = renderBlock(token, width, look);
    if (block.length === 0) continue;
    if (needsBlank(before, token.type)) lines.push([]);
    lines.push(...block);
    before = token.type;
  }
  return lines;
}

/** Between any two blocks, but for the parts of one list. */
export function needsBlank(before: string | null, next: string): boolean {
  return before !== null && !(before === 'list' && next === 'list');
}

/** One block; none for what shows nothing, such as blank lines and definitions of links. */
export function renderBlock(token: Token, width: number, look: Look): Line[] {
  const block = token as Tokens.Generic;
  switch (block.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return renderHeading(block as Tokens.Heading, width, look);
    case 'code':
      return renderCode((block as Tokens.Code).text, width);
    case 'blockquote':
      return renderQuote(block as Tokens.Blockquote, width, look);
    case 'list':
      return (block as Tokens.List).items.flatMap((item) =>
        renderItem(item, (block as Tokens.List).ordered, { width, look }),
      );
    case 'table':
      return renderTable(block as Tokens.Table, width, look);
    case 'hr':
      return [line((look.unicode ? '─' : '-').repeat(Math.min(width, 40)), { dim: true })];
    case 'html':
      return block.raw
        .trimEnd()
        .split('\n')
        .flatMap((text) => wrap(line(text), width));
    default:
      return renderProse(inlineSpans(block.tokens ?? [token]), width);
  }
}

function renderHeading({ depth, tokens }: Tokens.Heading, width: number, look: Look): Line[] {
  const style = { bold: true, ...(depth <= 2 ? { color: 'magenta' as const } : {}) };
  // Without styles the marks are what makes a heading one.
  const mark: Span[] = look.color ? [] : [{ text: `${'#'.repeat(depth)} ` }];
  return renderProse([...mark, ...inlineSpans(tokens, style)], width);
}

function renderCode(text: string, width: number): Line[] {
  return text.split('\n').flatMap((row) => renderCodeLine(row, width));
}

export function renderCodeLine(text: string, width: number): Line[] {
  const rows = wrap(line(text, { color: 'green' }), width - 4, { preformatted: true });
  return indented(rows, { text: '    ' });
}

function renderQuote({ tokens }: Tokens.Blockquote, width: number, look: Look): Line[] {
  const bar: Span = { text: look.unicode ? '│ ' : '> ', style: { dim: true } };
  return indented(renderBlocks(tokens, width - 2, look), bar);
}

/** Numbers stand as they were written: what is already on the screen can't be renumbered. */
function renderItem(
  item: Tokens.ListItem,
  ordered: boolean,
  { width, look }: { width: number; look: Look },
): Line[] {
  const written = /^\s*(\d{1,9})[.)]/.exec(item.raw)?.[1];
  const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : '';
  const bullet = ordered && written ? `${written}. ` : look.unicode ? '• ' : '- ';
  const mark = `${bullet}${box}`;
  const lines = item.tokens.flatMap((token) => renderBlock(token, width - mark.length, look));
  return indented(
    lines.length > 0 ? lines : [[]],
    { text: mark, style: { color: 'cyan' } },
    { text: ' '.repeat(bullet.length) },
  );
}

/** Wrapped, with the line breaks that were meant. */
function renderProse(spans: readonly Span[], width: number): Line[] {
  const rows: Span[][] = [[]];
  for (const span of spans) {
    if (span.text === '\n') rows.push([]);
    else rows.at(-1)?.push(span);
  }
  return rows.flatMap((row) => wrap(row, width));
}
