import type { TextEdit } from '@toolwright/machine/base/text-codec.js';
import type { LspPosition, LspRange } from '@toolwright/machine/host/language-server/protocol.js';

/** Gives the start of each line of a text. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return starts;
}

/** The position of a name: on the given line, counted from 1, else where it first stands as a whole word. */
export function findName(text: string, name: string, line?: number): LspPosition | null {
  const lines = text.split(/\r\n|\r|\n/);
  const candidates = line === undefined ? lines.keys() : [line - 1];
  for (const index of candidates) {
    const character = wholeWord(lines[index] ?? '', name);
    if (character !== -1) return { line: index, character };
  }
  return null;
}

const isWordCharacter = (text: string | undefined): boolean =>
  text !== undefined && /[\p{L}\p{N}_$]/u.test(text);

function wholeWord(line: string, name: string): number {
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1))
    if (!isWordCharacter(line[at - 1]) && !isWordCharacter(line[at + name.length])) return at;
  return -1;
}

/** Edits of the protocol as edits of the text; null where one lies outside of it or two overlap. */
export function textEdits(
  text: string,
  edits: readonly { range: LspRange; newText: string }[],
): TextEdit[] | null {
  const starts = lineStarts(text);
  const offset = ({ line, character }: LspPosition): number => {
    const start = starts[line];
    return start === undefined ? Number.NaN : Math.min(start + character, starts[line + 1] ?? text.length);
  };
  const found = edits
    .map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), text: newText }))
    .sort((one, other) => one.start - other.start);
  const isSound = found.every(
    ({ start, end }, index) => start <= end && start >= (found[index - 1]?.end ?? 0),
  );
  return isSound ? found : null;
}
