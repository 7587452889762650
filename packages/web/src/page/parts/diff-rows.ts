/** A row of a diff. Numbers count from 1; null where the side has no such line. */
export interface DiffRow {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string;
  before: number | null;
  after: number | null;
  /** The line on the other side that it replaces or is replaced by. */
  pair?: string;
}

/** The rows of a unified diff. What is no diff is a note. */
export function rowsOf(unified: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let [before, after, inHunk] = [0, 0, false];
  const lines = unified.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (from !== undefined) {
      [before, after, inHunk] = [Number(from), Number(to), true];
      rows.push({ kind: 'hunk', text: line, before: null, after: null });
    } else if (!inHunk) {
      if (!/^(---|\+\+\+) /.test(line)) rows.push({ kind: 'note', text: line, before: null, after: null });
    } else if (line.startsWith('+'))
      rows.push({ kind: 'added', text: line.slice(1), before: null, after: after++ });
    else if (line.startsWith('-'))
      rows.push({ kind: 'removed', text: line.slice(1), before: before++, after: null });
    else if (line.startsWith('\\'))
      rows.push({ kind: 'note', text: line.slice(2), before: null, after: null });
    else rows.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
  }
  return withPairs(rows);
}

/** A block of removed lines and the block of added lines after it are the same lines, changed, as far as both go. */
function withPairs(rows: DiffRow[]): DiffRow[] {
  let index = 0;
  while (index < rows.length) {
    const removed = index;
    while (rows[index]?.kind === 'removed') index += 1;
    const added = index;
    while (rows[index]?.kind === 'added') index += 1;
    const count = Math.min(added - removed, index - added);
    for (let offset = 0; offset < count; offset++) {
      const [left, right] = [rows[removed + offset]!, rows[added + offset]!];
      left.pair = right.text;
      right.pair = left.text;
    }
    if (index === removed) index += 1;
  }
  return rows;
}

export interface SideRow {
  left: DiffRow | null;
  right: DiffRow | null;
}

/** The rows for two columns. */
export function sidesOf(rows: readonly DiffRow[]): SideRow[] {
  const sides: SideRow[] = [];
  let index = 0;
  while (index < rows.length) {
    const row = rows[index]!;
    if (row.kind !== 'removed' && row.kind !== 'added') {
      sides.push({ left: row, right: row });
      index += 1;
      continue;
    }
    const removed: DiffRow[] = [];
    const added: DiffRow[] = [];
    while (rows[index]?.kind === 'removed') removed.push(rows[index++]!);
    while (rows[index]?.kind === 'added') added.push(rows[index++]!);
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      sides.push({ left: removed[at] ?? null, right: added[at] ?? null });
  }
  return sides;
}

export interface Word {
  text: string;
  isOther: boolean;
}

const LONGEST_COMPARED = 400;

/** The words of a line, and which of them its pair does not have in the same order. */
export function wordsOf(text: string, pair: string | undefined): Word[] {
  if (pair === undefined) return [{ text, isOther: false }];
  const [own, other] = [split(text), split(pair)];
  if (own.length > LONGEST_COMPARED || other.length > LONGEST_COMPARED) return [{ text, isOther: false }];
  const common = commonWords(own, other);
  const share = own
    .filter((_, index) => common.has(index))
    .join('')
    .trim().length;
  // Lines that have next to nothing in common are better read whole.
  if (share * 4 < Math.min(text.trim().length, pair.trim().length)) return [{ text, isOther: false }];
  const words: Word[] = [];
  own.forEach((word, index) => {
    const isOther = !common.has(index);
    const last = words.at(-1);
    if (last?.isOther === isOther) last.text += word;
    else words.push({ text: word, isOther });
  });
  return words;
}

function split(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}

/** Indexes of the words of the longest common subsequence. */
function commonWords(own: readonly string[], other: readonly string[]): Set<number> {
  const width = other.length + 1;
  const lengths = new Uint16Array((own.length + 1) * width);
  for (let row = own.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        own[row] === other[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
  const found = new Set<number>();
  let [row, column] = [0, 0];
  while (row < own.length && column < other.length) {
    if (own[row] === other[column]) {
      found.add(row);
      row += 1;
      column += 1;
    } else if (lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!) row += 1;
    else column += 1;
  }
  return found;
}
