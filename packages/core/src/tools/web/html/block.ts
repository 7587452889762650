import type { PageElement } from './page-element.js';

/** What indents a block: a list item, a quotation, a definition. */
export interface Frame {
  /** Before the first line of the first block inside. */
  first: string;
  /** Before every other line. */
  rest: string;
  /** Outermost list it belongs to; items of one list stand without blank lines between them. */
  list: object | null;
  used: boolean;
}

export interface Block {
  kind: 'text' | 'code' | 'table';
  text: string;
  element: PageElement;
  frames: readonly Frame[];
  /** The frames, innermost last, whose first block this is. */
  starts: readonly Frame[];
  /** Goes on where the block before it was cut for its size: what to put between the two. */
  joint?: string;
}

/** Joins blocks to Markdown, a piece at a time, so that the caller can pause between pieces. */
export function* joinBlocks(blocks: Iterable<Block>): Generator<string> {
  let previous: Block | null = null;
  for (const block of blocks) {
    if (previous) yield separator(previous, block);
    yield framed(block);
    previous = block;
  }
}

function separator(before: Block, block: Block): string {
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

function framed(block: Block): string {
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
