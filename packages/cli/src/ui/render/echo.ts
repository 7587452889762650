import { terminalSafe } from '@toolwright/core';
import { expandTabs, widthOf } from './line.js';

/**
 * Bytes that make a line showing one text show another without moving the cursor: more at its end,
 * or less. Null when that is not enough.
 */
export function echo(before: string, after: string): string | null {
  if (after.startsWith(before)) return asPrinted(after.slice(before.length)).replaceAll('\n', '\r\n');
  const removed = before.startsWith(after) ? before.slice(after.length) : null;
  if (removed === null || removed.includes('\n')) return null;
  return '\b \b'.repeat(widthOf(asPrinted(removed)));
}

function asPrinted(text: string): string {
  return expandTabs(terminalSafe(text));
}
