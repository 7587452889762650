import { readFileSync } from 'node:fs';

/** A fenced block of a document. */
export interface Block {
  /** The heading above it, with its place in the document. */
  title: string;
  language: string;
  text: string;
  /** The output that the `text` block right after it promises. */
  prints?: string;
  /** The path that stands in a line of its own right above it. */
  file?: string;
}

export function readDocument(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

export function blocksOf(document: string): Block[] {
  const fences = [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return fences.map((fence, index) => {
    const heading = [...document.slice(0, fence.index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '';
    const next = fences[index + 1];
    const between = next ? document.slice(fence.index + fence[0].length, next.index) : '';
    const file = /^`([^`\n]+)`:\n\n$/m.exec(document.slice(0, fence.index).slice(-200))?.[1];
    const block = {
      title: `${index + 1}. ${heading}`,
      language: fence[1] ?? '',
      text: fence[2] ?? '',
      ...(file === undefined ? {} : { file }),
    };
    return next?.[1] === 'text' && between.trim() === '' ? { ...block, prints: next[2] ?? '' } : block;
  });
}

/** `…` in what is expected stands for anything on that line; on a line of its own, for any lines. */
export function patternOf(expected: string): RegExp {
  const lines = expected
    .trimEnd()
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?.*' : line.split('…').map(escapePattern).join('.*')));
  return new RegExp(`^${lines.join('\\n')}$`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** The rows of the table whose head has this word, cell by cell, without the marks of code. */
export function tableWith(document: string, word: string): string[][] {
  const lines = document.split('\n');
  const head = lines.findIndex((line) => line.startsWith('|') && line.includes(word));
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'));
  return lines.slice(head, end).flatMap((line, index) => (index === 1 ? [] : [cellsOf(line)]));
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
