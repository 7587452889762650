/** The text being typed. The cursor stands between characters as people count them. */
export interface InputLine {
  text: string;
  cursor: number;
}

export const emptyInput: InputLine = { text: '', cursor: 0 };

export function inputOf(text: string): InputLine {
  return { text, cursor: text.length };
}

let segmenter: Intl.Segmenter | undefined;

/** Letters with their marks, emoji with their modifiers. */
export function graphemes(text: string): string[] {
  if (/^[\n\t\x20-\x7e]*$/.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function insert({ text, cursor }: InputLine, added: string): InputLine {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

export type Movement = 'left' | 'right' | 'word-left' | 'word-right' | 'line-start' | 'line-end';

export function moved(input: InputLine, movement: Movement): InputLine {
  return { ...input, cursor: target(input, movement) };
}

/** Removes what lies between the cursor and where the movement would lead. */
export function erased(input: InputLine, movement: Movement): InputLine {
  const to = target(input, movement);
  const [from, end] = [Math.min(to, input.cursor), Math.max(to, input.cursor)];
  return { text: input.text.slice(0, from) + input.text.slice(end), cursor: from };
}

function target({ text, cursor }: InputLine, movement: Movement): number {
  const [before, after] = [text.slice(0, cursor), text.slice(cursor)];
  switch (movement) {
    case 'left':
      return cursor - (graphemes(before).at(-1)?.length ?? 0);
    case 'right':
      return cursor + (graphemes(after)[0]?.length ?? 0);
    case 'word-left':
      return cursor - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(before)?.[0].length ?? 0);
    case 'word-right':
      return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(after)?.[0].length ?? 0);
    case 'line-start':
      return before.lastIndexOf('\n') + 1;
    case 'line-end':
      return after.includes('\n') ? cursor + after.indexOf('\n') : text.length;
  }
}

/** Moves one line up or down in the same column; null where there is no such line. */
export function movedByLine({ text, cursor }: InputLine, direction: -1 | 1): InputLine | null {
  const lines = text.split('\n');
  const row = text.slice(0, cursor).split('\n').length - 1;
  const wanted = lines[row + direction];
  if (wanted === undefined) return null;
  const start = lines.slice(0, row + direction).reduce((sum, line) => sum + line.length + 1, 0);
  const column = graphemes(text.slice(0, cursor).split('\n').at(-1) ?? '').length;
  const reached = graphemes(wanted).slice(0, column).join('');
  return { text, cursor: start + reached.length };
}
