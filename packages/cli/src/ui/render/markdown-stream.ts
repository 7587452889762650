import type { Token, Tokens } from 'marked';
import type { Line, Look } from './line.js';
import { markdownTokens, needsBlank, renderBlock, renderCodeLine } from './markdown.js';

/**
 * Where an answer stands that is still coming in. What was printed is never touched again, so only what can't
 * change any more is printed: whole blocks, whole items of a list, whole lines of code.
 */
export interface MarkdownStream {
  /** Source that is not printed yet. */
  pending: string;
  /** The code block that is open, by the marks that will close it. */
  fence: { mark: string; indent: number } | null;
  /** Kind of the last block printed. */
  before: string | null;
}

export const emptyStream: MarkdownStream = { pending: '', fence: null, before: null };

/** Beyond this a block that does not end is taken to end: reading it again and again would grow slow. */
const MAX_PENDING = 16 * 1024;

export interface StreamStep {
  stream: MarkdownStream;
  /** To be printed now, for good. */
  printed: Line[];
}

interface Frame {
  width: number;
  look: Look;
}

/** Takes in more of the answer. `isFinal`: nothing follows, so everything is printed. */
export function advance(
  stream: MarkdownStream,
  text: string,
  { width, look, isFinal = false }: Frame & { isFinal?: boolean },
): StreamStep {
  const printed: Line[] = [];
  let now: MarkdownStream = { ...stream, pending: stream.pending + text };
  for (;;) {
    const step = now.fence
      ? takeCode(now, now.fence, width, isFinal)
      : takeBlocks(now, { width, look }, isFinal);
    if (!step) return { stream: now, printed };
    printed.push(...step.printed);
    now = step.stream;
  }
}

/** What is not printed yet, as it looks so far. */
export function unfinished(stream: MarkdownStream, { width, look }: Frame): Line[] {
  const { pending, fence, before } = stream;
  if (pending.trim() === '') return [];
  if (fence) return renderCodeLine(dedented(pending, fence.indent), width);
  let previous = before;
  return markdownTokens(pending).flatMap((token) => {
    const lines = renderBlock(token, width, look);
    if (lines.length === 0) return [];
    const blank: Line[] = needsBlank(previous, token.type) ? [[]] : [];
    previous = token.type;
    return [...blank, ...lines];
  });
}

function takeCode(
  stream: MarkdownStream,
  fence: { mark: string; indent: number },
  width: number,
  isFinal: boolean,
): StreamStep | null {
  const { pending } = stream;
  const end = pending.indexOf('\n');
  if (end === -1 && (!isFinal || pending === '')) return null;
  const row = end === -1 ? pending : pending.slice(0, end);
  const rest = end === -1 ? '' : pending.slice(end + 1);
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(row)?.[1];
  if (closing?.startsWith(fence.mark))
    return { stream: { ...stream, pending: rest, fence: null }, printed: [] };
  return {
    stream: { ...stream, pending: rest },
    printed: renderCodeLine(dedented(row, fence.indent), width),
  };
}

function dedented(row: string, indent: number): string {
  return row.replace(new RegExp(`^ {0,${indent}}`), '');
}

/** The first block that can't change any more; null when there is none. */
function takeBlocks(stream: MarkdownStream, frame: Frame, isFinal: boolean): StreamStep | null {
  const { pending } = stream;
  if (pending.trim() === '')
    return isFinal && pending !== '' ? { stream: { ...stream, pending: '' }, printed: [] } : null;
  const opened = openFence(pending, isFinal);
  if (opened) {
    const blank: Line[] = needsBlank(stream.before, 'code') ? [[]] : [];
    return {
      stream: { pending: opened.rest, fence: opened.fence, before: 'code' },
      printed: blank,
    };
  }
  const whole = isFinal ? pending : pending.slice(0, pending.lastIndexOf('\n') + 1);
  const taken = firstSettled(markdownTokens(whole), isFinal);
  if (taken) return printToken(stream, taken, frame);
  return pending.length > MAX_PENDING ? cutOff(stream, frame) : null;
}

/** A fence at the very start of what is pending. */
function openFence(
  pending: string,
  isFinal: boolean,
): { fence: { mark: string; indent: number }; rest: string } | null {
  const found = /^(?:[ \t]*\n)*( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[^\n]*(\n|$)/.exec(pending);
  if (!found || (found[3] === '' && !isFinal)) return null;
  return {
    fence: { mark: found[2] ?? '```', indent: (found[1] ?? '').length },
    rest: pending.slice(found[0].length),
  };
}

interface Settled {
  token: Token;
  /** Length of its source, with what stands before it. */
  length: number;
}

/** Settled is what another block follows, and what a blank line ends. */
function firstSettled(tokens: readonly Token[], isFinal: boolean): Settled | null {
  let before = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'space' || token.type === 'def') {
      before += token.raw.length;
      continue;
    }
    const next = tokens[index + 1];
    const isSettled =
      isFinal || tokens.slice(index + 1).some(({ type }) => type !== 'space') || endsHere(token, next);
    if (isSettled) return { token, length: before + token.raw.length };
    const list = token as Tokens.List;
    const [first, second] = token.type === 'list' ? list.items : [];
    if (!first || !second) return null;
    return { token: { ...list, items: [first], raw: first.raw }, length: before + first.raw.length };
  }
  return null;
}

/** A list, a quotation or indented code may go on after a blank line; these may not. */
function endsHere(token: Token, next: Token | undefined): boolean {
  if (token.type === 'heading' || token.type === 'hr') return true;
  const isBlankAfter = next?.type === 'space' || /\n[ \t]*\n$/.test(token.raw);
  return isBlankAfter && ['paragraph', 'table', 'text'].includes(token.type);
}

function printToken(stream: MarkdownStream, { token, length }: Settled, { width, look }: Frame): StreamStep {
  const lines = renderBlock(token, width, look);
  const blank: Line[] = lines.length > 0 && needsBlank(stream.before, token.type) ? [[]] : [];
  return {
    stream: {
      pending: stream.pending.slice(length),
      fence: null,
      before: lines.length > 0 ? token.type : stream.before,
    },
    printed: [...blank, ...lines],
  };
}

/** Printed as far as a line or word ends, as if the block ended there. */
function cutOff(stream: MarkdownStream, frame: Frame): StreamStep {
  const { pending } = stream;
  const at = Math.max(pending.lastIndexOf('\n'), pending.lastIndexOf(' '));
  const cut = at > MAX_PENDING / 2 ? at + 1 : pending.length;
  const done = advance({ ...stream, pending: '' }, pending.slice(0, cut), { ...frame, isFinal: true });
  return { stream: { ...done.stream, pending: pending.slice(cut) }, printed: done.printed };
}
