import { terminalSafe } from '@toolwright/core/front-end';
import type { Token, Tokens } from 'marked';
import type { Span, Style } from './line.js';

/** The text inside a block as styled spans; a line break is a span of its own, `'\n'`. */
export function inlineSpans(tokens: readonly Token[] | undefined, style: Style = {}): Span[] {
  return (tokens ?? []).flatMap((token) => spansOf(token as Tokens.Generic, style));
}

function spansOf(token: Tokens.Generic, style: Style): Span[] {
  switch (token.type) {
    case 'strong':
      return inlineSpans(token.tokens, { ...style, bold: true });
    case 'em':
      return inlineSpans(token.tokens, { ...style, italic: true });
    case 'del':
      return inlineSpans(token.tokens, { ...style, strike: true });
    case 'codespan':
      return [span(`\`${token['text']}\``, { ...style, color: 'cyan' })];
    case 'br':
      return [{ text: '\n' }];
    case 'link':
      return linkSpans(token as Tokens.Link, style);
    case 'image':
      return [span(`[image: ${token['text'] || token['href']}] (${token['href']})`, style)];
    case 'html':
      return [span(token.raw, style)];
    case 'checkbox':
      return [];
    default:
      return token.tokens
        ? inlineSpans(token.tokens, style)
        : lineSpans(decoded(String(token['text'] ?? token.raw)), style);
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => entities[name] ?? '');
}

/** Lines stay lines: what a model writes in lines is meant that way more often than not. */
function lineSpans(text: string, style: Style): Span[] {
  return text.split('\n').flatMap((row, index) => [...(index > 0 ? [{ text: '\n' }] : []), span(row, style)]);
}

/** The address is always shown: a text may claim another one. */
function linkSpans(token: Tokens.Link, style: Style): Span[] {
  const shown = inlineSpans(token.tokens, { ...style, underline: true, link: token.href });
  const text = shown.map(({ text: part }) => part).join('');
  if (text === token.href || `mailto:${text}` === token.href) return shown;
  return [...shown, span(` (${token.href})`, { ...style, dim: true, link: token.href })];
}

/** Harmless once more, because reading Markdown turns `&#27;` into the character it stands for. */
function span(text: string, style: Style): Span {
  const harmless = terminalSafe(text.replaceAll(noMark, '')).replaceAll('\n', ' ');
  return Object.keys(style).length > 0 ? { text: harmless, style } : { text: harmless };
}

/** Stands before a mark that is one too many, so that it is text; no character, and never shown. */
export const noMark = '\ufdd0';
