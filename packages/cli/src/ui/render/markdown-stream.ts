import type { Token, Tokens } from 'marked';
import type { Appearance, StyledLine } from './line.js';
import {
  kindOf,
  languageOfFence,
  markdownTokens,
  needsBlank,
  renderBlock,
  renderCodeAfter,
  sourceLength,
} from './markdown.js';

/** A code block that is open. */
interface Fence {
  /** The marks that will close it. */
  mark: string;
  indent: number;
  language: string;
  /** The last rows that were printed, for the colours of those that follow. */
  context: string;
}

/**
 * State of an answer that is still coming in. Scrollback text is never touched again, so only text that can't
 * change any more is printed: whole blocks, whole items of a list, whole lines of code.
 */
export interface MarkdownStream {
  /** Source that is not printed yet. */
  pending: string;
  fence: Fence | null;
  /** Kind of the last block printed. */
  before: string | null;
}

export const emptyStream: MarkdownStream = { pending: '', fence: null, before: null };

/** Enough for nearly every comment and string; a longer one costs a wrong colour, not time. */
const MAX_CONTEXT = 2 * 1024;

/** Beyond this a block that does not end is taken to end: reading it again and again would grow slow. */
const MAX_PENDING = 16 * 1024;

export interface StreamStep {
  stream: MarkdownStream;
  /** The lines to print now, for good. */
  printed: StyledLine[];
}

interface StreamOptions {
  width: number;
  appearance: Appearance;
  read?(text: string): Token[];
}

/** Takes in more of the answer. `isFinal`: nothing follows, so everything is printed. */
export function advance(
  stream: MarkdownStream,
  text: string,
  { isFinal = false, ...options }: StreamOptions & { isFinal?: boolean },
): StreamStep {
  const printed: StyledLine[] = [];
  let now = stream;
  // However much comes at once, it is read in pieces: time grows faster than the length of what is read together.
  for (let at = 0; at < text.length || at === 0; at += MAX_PENDING) {
    const piece = text.slice(at, at + MAX_PENDING);
    const step = takeIn(now, piece, { ...options, isFinal: isFinal && at + MAX_PENDING >= text.length });
    for (const line of step.printed) printed.push(line);
    now = step.stream;
  }
  return { stream: now, printed };
}

function takeIn(
  stream: MarkdownStream,
  text: string,
  { isFinal, ...options }: StreamOptions & { isFinal: boolean },
): StreamStep {
  const printed: StyledLine[] = [];
  const isNews = stream.fence !== null || isFinal || text.includes('\n');
  // The pending text was parsed before, so only another whole line can settle one of its blocks.
  if (!isNews && stream.pending.length + text.length <= MAX_PENDING)
    return { stream: { ...stream, pending: stream.pending + text }, printed };
  let now: MarkdownStream = { ...stream, pending: stream.pending + text };
  for (;;) {
    const step = now.fence
      ? takeCode(now, now.fence, options.width, isFinal)
      : takeBlocks(now, options, isFinal);
    if (!step) return { stream: now, printed };
    for (const line of step.printed) printed.push(line);
    now = step.stream;
  }
}

/** Renders the part of the answer that is not printed yet. */
export function unfinished(stream: MarkdownStream, { width, appearance }: StreamOptions): StyledLine[] {
  const { pending, fence, before } = stream;
  if (pending.trim() === '') return [];
  if (fence)
    return renderCodeAfter(fence.context, {
      language: fence.language,
      text: dedented(pending, fence.indent),
      width,
    });
  let previous = before;
  return markdownTokens(pending).flatMap((token) => {
    const lines = renderBlock(token, width, appearance);
    if (lines.length === 0) return [];
    const blank: StyledLine[] = needsBlank(previous, kindOf(token)) ? [[]] : [];
    previous = kindOf(token);
    return [...blank, ...lines];
  });
}

/** The whole rows that are there, up to the end of the code. */
function takeCode(stream: MarkdownStream, fence: Fence, width: number, isFinal: boolean): StreamStep | null {
  const { pending } = stream;
  const rows = pending.split('\n');
  const whole = isFinal && rows.at(-1) !== '' ? rows : rows.slice(0, -1);
  if (whole.length === 0) return null;
  const closing = whole.findIndex((row) => isClosing(row, fence.mark));
  const code = closing === -1 ? whole : whole.slice(0, closing);
  const taken = closing === -1 ? whole : whole.slice(0, closing + 1);
  const rest = rows.slice(taken.length).join('\n');
  if (code.length === 0) return { stream: { ...stream, pending: rest, fence: null }, printed: [] };
  const text = code.map((row) => dedented(row, fence.indent)).join('\n');
  const printed = renderCodeAfter(fence.context, { language: fence.language, text, width });
  const context = lastRows(`${fence.context}${text}\n`);
  return {
    stream: { ...stream, pending: rest, fence: closing === -1 ? { ...fence, context } : null },
    printed,
  };
}

function isClosing(row: string, mark: string): boolean {
  return /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(row)?.[1]?.startsWith(mark) ?? false;
}

function lastRows(text: string): string {
  if (text.length <= MAX_CONTEXT) return text;
  return text.slice(text.indexOf('\n', text.length - MAX_CONTEXT - 1) + 1);
}

function dedented(row: string, indent: number): string {
  return row.replace(new RegExp(`^ {0,${indent}}`), '');
}

/** The blocks that can't change any more, as far as the next code; null when there is none. */
function takeBlocks(stream: MarkdownStream, options: StreamOptions, isFinal: boolean): StreamStep | null {
  const { pending } = stream;
  if (pending.trim() === '')
    return isFinal && pending !== '' ? { stream: { ...stream, pending: '' }, printed: [] } : null;
  const opened = openFence(pending, isFinal);
  if (opened) {
    const blank: StyledLine[] = needsBlank(stream.before, 'code') ? [[]] : [];
    return {
      stream: { pending: opened.rest, fence: opened.fence, before: 'code' },
      printed: blank,
    };
  }
  const whole = isFinal ? pending : pending.slice(0, pending.lastIndexOf('\n') + 1);
  const taken = settled((options.read ?? markdownTokens)(whole), isFinal);
  if (taken.length > 0) return printTokens(stream, taken, options);
  return pending.length > MAX_PENDING ? cutOff(stream, options) : null;
}

/** A fence at the very start of what is pending. */
function openFence(pending: string, isFinal: boolean): { fence: Fence; rest: string } | null {
  const found = /^(?:[ \t]*\n)*( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(\n|$)/.exec(pending);
  if (!found || (found[4] === '' && !isFinal)) return null;
  return {
    fence: {
      mark: found[2] ?? '```',
      indent: (found[1] ?? '').length,
      language: languageOfFence(found[3]?.trim()),
      context: '',
    },
    rest: pending.slice(found[0].length),
  };
}

interface Settled {
  token: Token;
  /** Length of its source, with what stands before it. */
  length: number;
}

/**
 * Settled is what another block follows, and what a blank line ends. Read once for all of them: a fence that comes next
 * is taken line by line instead.
 */
function settled(tokens: readonly Token[], isFinal: boolean): Settled[] {
  const taken: Settled[] = [];
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  let before = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'space' || token.type === 'def') {
      before += sourceLength(token);
      continue;
    }
    if (taken.length > 0 && isFenced(token)) break;
    if (!isFinal && index >= last && !endsHere(token, tokens[index + 1])) {
      const items = settledItems(token);
      return items ? [...taken, { token: items, length: before + sourceLength(items) }] : taken;
    }
    taken.push({ token, length: before + sourceLength(token) });
    before = 0;
  }
  return taken;
}

function isFenced(token: Token): boolean {
  return token.type === 'code' && (token as Tokens.Code).codeBlockStyle !== 'indented';
}

/** The items of an unfinished list that are complete: those that another item follows. */
function settledItems(token: Token): Tokens.List | null {
  const list = token as Tokens.List;
  const items = token.type === 'list' ? list.items.slice(0, -1) : [];
  return items.length > 0 ? { ...list, items, raw: items.map(({ raw }) => raw).join('') } : null;
}

/** A list, a quotation or indented code may go on after a blank line; these may not. */
function endsHere(token: Token, next: Token | undefined): boolean {
  if (token.type === 'heading' || token.type === 'hr') return true;
  const isBlankAfter = next?.type === 'space' || /\n[ \t]*\n$/.test(token.raw);
  return isBlankAfter && ['paragraph', 'table', 'text'].includes(token.type);
}

function printTokens(
  stream: MarkdownStream,
  taken: readonly Settled[],
  { width, appearance }: StreamOptions,
): StreamStep {
  const printed: StyledLine[] = [];
  let { before } = stream;
  let length = 0;
  for (const { token, length: own } of taken) {
    length += own;
    const lines = renderBlock(token, width, appearance);
    if (lines.length === 0) continue;
    if (needsBlank(before, kindOf(token))) printed.push([]);
    for (const line of lines) printed.push(line);
    before = kindOf(token);
  }
  return { stream: { pending: stream.pending.slice(length), fence: null, before }, printed };
}

/** Scrollback as far as a line or word ends, as if the block ended there. */
function cutOff(stream: MarkdownStream, options: StreamOptions): StreamStep {
  const { pending } = stream;
  const at = Math.max(pending.lastIndexOf('\n'), pending.lastIndexOf(' '));
  const cut = at > MAX_PENDING / 2 ? at + 1 : pending.length;
  const done = advance({ ...stream, pending: '' }, pending.slice(0, cut), { ...options, isFinal: true });
  return { stream: { ...done.stream, pending: pending.slice(cut) }, printed: done.printed };
}
