import { codeRanges } from './markdown-code.js';

/** An `@path` in a context file. */
export interface ImportReference {
  /** As written, without the `@`. */
  written: string;
  path: string;
}

const REFERENCE = /(?<![^\s])@((?:\\[^\n]|[^\s\\])+)/g;
const CLOSING_PUNCTUATION = /[.,;:!?)\]}>'"*_]+$/;

/** The imports of a Markdown text: at the start of a word, outside of code and comments. `\ ` is a blank in a name. */
export function findImports(text: string): ImportReference[] {
  if (!text.includes('@')) return [];
  const ranges = codeRanges(text);
  let next = 0;
  const found = new Map<string, ImportReference>();
  for (const match of text.matchAll(REFERENCE)) {
    while (next < ranges.length && ranges[next]!.end <= match.index) next += 1;
    if (next < ranges.length && ranges[next]!.start <= match.index) continue;
    const written = match[1]!.replace(CLOSING_PUNCTUATION, '');
    const path = written.replace(/\\(.)/g, '$1');
    if (path !== '') found.set(path, { written, path });
  }
  return [...found.values()];
}
