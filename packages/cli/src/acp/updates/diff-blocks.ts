import type { Diff } from '@agentclientprotocol/sdk';
import type { FileDiffEntry } from '@toolwright/core';

/** A changed place of a file as editors take it: the lines before and after, from a line that counts from 1. */
export interface DiffBlock {
  diff: Diff & { type: 'diff' };
  line: number;
}

const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/**
 * The changed places of a file, each with the lines around it. None where the difference can't be told line by line: the
 * file is binary, or too large to show.
 */
export function diffBlocks({ change, unified }: FileDiffEntry, path: string): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  let open: { line: number; before: string[]; after: string[] } | null = null;
  const close = (): void => {
    if (open) blocks.push(blockOf(open, { path, isNew: change === 'create' }));
    open = null;
  };
  const lines = unified.split('\n');
  for (const [index, line] of lines.entries()) {
    const [, oldStart, newStart] = header.exec(line) ?? [];
    if (oldStart !== undefined) {
      close();
      const start = change === 'delete' ? oldStart : newStart;
      open = { line: Math.max(1, Number(start)), before: [], after: [] };
      continue;
    }
    const isLast = index === lines.length - 1;
    if (!open || (isLast && line === '') || line.startsWith('\\')) continue;
    if (!line.startsWith('+')) open.before.push(line.slice(1));
    if (!line.startsWith('-')) open.after.push(line.slice(1));
  }
  close();
  return blocks;
}

function blockOf(
  { line, before, after }: { line: number; before: string[]; after: string[] },
  { path, isNew }: { path: string; isNew: boolean },
): DiffBlock {
  const oldText = isNew ? null : textOf(before);
  return { line, diff: { type: 'diff', path, oldText, newText: textOf(after) } };
}

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
