import type { PageElement } from './page-element.js';

/** Something that indents a block: a list item, a quotation, a definition. */
export interface Indent {
  /** Put before the first line of the first block inside. */
  first: string;
  /** Put before every other line. */
  rest: string;
  /** The outermost list the block belongs to; items of one list have no blank lines between them. */
  list: object | null;
  used: boolean;
}

export interface PageBlock {
  kind: 'text' | 'code' | 'table';
  text: string;
  element: PageElement;
  frames: readonly Indent[];
  /** Frames that this block is the first of, innermost last. */
  starts: readonly Indent[];
  /** Separator to the block before, when that one was cut for its size and this one continues it. */
  joint?: string;
}

/** Joins blocks to Markdown, a piece at a time, so that the caller can pause between pieces. */
export function* joinBlocks(blocks: Iterable<PageBlock>): Generator<string> {
  let previous: PageBlock | null = null;
  for (const block of blocks) {
    if (previous) yield separator(previous, block);
    yield framed(block);
    previous = block;
  }
}

function separator(before: PageBlock, block: PageBlock): string {
  if (block.joint !== undefined) return block.joint;
  const opened = block.starts.at(-1);
  const sameList = opened?.list && before.frames.some((frame) => frame.list === opened.list);
  const definition = opened?.first === ': ' && before.kind === 'text';
  if (sameList || definition) return '\n';
  let common = '';
  for (const [index, frame] of block.frames.entries()) {
    if (before.frames[index] !== frame) break;
    common += frame.rest;
  }
  return `\n${common.trimEnd()}\n`;
}

function framed(block: PageBlock): string {
  if (block.frames.length === 0) return block.text;
  const first = block.frames
    .map((frame) => (block.starts.includes(frame) ? frame.first : frame.rest))
    .join('');
  if (!block.text.includes('\n')) return first + block.text;
  const rest = block.frames.map((frame) => frame.rest).join('');
  return block.text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : rest}${line}`.trimEnd())
    .join('\n');
}

/** Limits how much a page may grow by links made absolute and cells repeated over rows. */
export class OutputBudget {
  #left: number;

  constructor(pageSize: number) {
    this.#left = 2 * pageSize + 50_000;
  }

  spend(characters: number): boolean {
    this.#left -= characters;
    return this.#left >= 0;
  }
}
