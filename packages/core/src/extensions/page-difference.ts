import { compareSequences } from '@toolwright/machine/base/diff.js';

const AROUND = 1;

/** Lines of two pages that differ, with `-` and `+` before them and a line around each. */
export async function pageDifference(before: string, after: string): Promise<string> {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const lines: string[] = [];
  let at = 0;
  for (const { start, end, newStart, newEnd } of await compareSequences(old, now)) {
    const from = Math.max(at, start - AROUND);
    if (from > at && lines.length > 0) lines.push('  …');
    lines.push(...old.slice(from, start).map((line) => `  ${line}`));
    lines.push(...old.slice(start, end).map((line) => `- ${line}`));
    lines.push(...now.slice(newStart, newEnd).map((line) => `+ ${line}`));
    at = end;
  }
  return lines.join('\n');
}
