/** A stretch of a line, and whether it is different in the other line. */
export interface WordPart {
  text: string;
  changed: boolean;
}

const LONGEST_LINE = 400;

/** The words that differ between a removed line and the one in its place; null where nearly everything does. */
export function changedWords(
  before: string,
  after: string,
): { before: WordPart[]; after: WordPart[] } | null {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return null;
  const [left, right] = [wordsOf(before), wordsOf(after)];
  const common = commonWords(left, right);
  const kept = common.reduce((sum, [index]) => sum + (left[index]?.trim().length ?? 0), 0);
  const whole = Math.max(before.trim().length, after.trim().length);
  if (whole === 0 || kept < whole / 3) return null;
  return {
    before: partsOf(left, new Set(common.map(([index]) => index))),
    after: partsOf(right, new Set(common.map(([, index]) => index))),
  };
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
}

/** Pairs of positions of a longest common subsequence. */
function commonWords(left: readonly string[], right: readonly string[]): [number, number][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i]![j] =
        left[i] === right[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return pairs;
}

function partsOf(words: readonly string[], kept: ReadonlySet<number>): WordPart[] {
  const parts: WordPart[] = [];
  for (const [index, text] of words.entries()) {
    const changed = !kept.has(index);
    const last = parts.at(-1);
    if (last?.changed === changed) last.text += text;
    else parts.push({ text, changed });
  }
  return joined(parts);
}

/** A blank or a comma between two changed words changed with them. */
function joined(parts: readonly WordPart[]): WordPart[] {
  const result: WordPart[] = [];
  for (const [index, part] of parts.entries()) {
    const isBetween =
      result.at(-1)?.changed && parts[index + 1]?.changed && /^[\s\p{P}]{1,2}$/u.test(part.text);
    const changed = part.changed || isBetween === true;
    const last = result.at(-1);
    if (last?.changed === changed) last.text += part.text;
    else result.push({ text: part.text, changed });
  }
  return result;
}
