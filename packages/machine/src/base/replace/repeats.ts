import { type ChangedRange, compareSequences } from '../diff.js';

/**
 * For each new token that repeats an old one, where that one is. Whole lines are compared first, so that a line which
 * stays is never taken apart for the sake of a new one beside it, then the tokens between them.
 */
export async function originsOf(
  old: readonly string[],
  young: readonly string[],
): Promise<Map<number, number>> {
  const [lines, newLines] = [linesOf(old), linesOf(young)];
  const origins = new Map<number, number>();
  for (const section of await sectionsOf(lines.texts, newLines.texts)) {
    const [start, end] = [lines.starts[section.start]!, lines.starts[section.end]!];
    const [newStart, newEnd] = [newLines.starts[section.newStart]!, newLines.starts[section.newEnd]!];
    const inner = section.same
      ? [{ start: 0, end: end - start, newStart: 0, same: true }]
      : await sectionsOf(old.slice(start, end), young.slice(newStart, newEnd));
    for (const part of inner.filter(({ same }) => same)) {
      for (let at = part.start; at < part.end; at++) {
        origins.set(newStart + part.newStart + at - part.start, start + at);
      }
    }
  }
  return origins;
}

/** The tokens put together to lines, and where each line begins; behind the last one, where they end. */
function linesOf(tokens: readonly string[]): { texts: string[]; starts: number[] } {
  const ends = tokens.flatMap((token, index) => (token === '\n' ? [index + 1] : []));
  const starts = [0, ...ends.filter((end) => end < tokens.length), tokens.length];
  const texts = starts.slice(0, -1).map((start, index) => tokens.slice(start, starts[index + 1]).join(''));
  return { texts, starts };
}

type Section = ChangedRange & { same: boolean };

/** Both sequences from beginning to end: what is the same and what is not, in turn. */
async function sectionsOf(old: readonly string[], young: readonly string[]): Promise<Section[]> {
  const sections: Section[] = [];
  let [at, newAt] = [0, 0];
  const reach = (start: number, newStart: number) =>
    sections.push({ same: true, start: at, end: start, newStart: newAt, newEnd: newStart });
  for (const change of await compareSequences(old, young)) {
    reach(change.start, change.newStart);
    sections.push({ same: false, ...change });
    [at, newAt] = [change.end, change.newEnd];
  }
  reach(old.length, young.length);
  return sections;
}
