import { type InputLine, insert } from '../input-line.js';

/** A token in the line and what it stands for. */
export type FoldedText = { token: string } & (
  | { kind: 'text'; text: string }
  | { kind: 'image'; image: ImageSource }
);

/** An image on disk, or one that came from the clipboard. */
export type ImageSource = { path: string } | { mimeType: string; data: string };

/** A longer paste is folded. */
const MOST_LINES = 10;
const MOST_FOLDED = 50;

interface Folding {
  input: InputLine;
  folded: readonly FoldedText[];
}

/** Puts a paste into the line: short ones as they are, long ones and images as one token. */
export function pasted(input: InputLine, folded: readonly FoldedText[], text: string): Folding {
  const path = imagePath(text);
  if (path !== null) return withImage(input, folded, { path });
  const lines = text.replace(/\n$/, '').split('\n').length;
  if (lines <= MOST_LINES) return { input: insert(input, text), folded };
  const token = `[Pasted text #${numberOfNext(folded)}, ${lines} lines]`;
  return {
    input: insert(input, token),
    folded: [...folded, { token, kind: 'text' as const, text }].slice(-MOST_FOLDED),
  };
}

export function withImage(input: InputLine, folded: readonly FoldedText[], image: ImageSource): Folding {
  const name = 'path' in image ? `: ${image.path.split(/[/\\]/).at(-1)}` : '';
  const token = `[Image #${numberOfNext(folded)}${name}]`;
  return {
    input: insert(input, `${token} `),
    folded: [...folded, { token, kind: 'image' as const, image }].slice(-MOST_FOLDED),
  };
}

function numberOfNext(folded: readonly FoldedText[]): number {
  const numbers = folded.map(({ token }) => Number(/#(\d+)/.exec(token)?.[1] ?? 0));
  return Math.max(0, ...numbers) + 1;
}

/** The path of an image that was dropped on the terminal: absolute, perhaps quoted or escaped; null for other text. */
function imagePath(text: string): string | null {
  const word = text.trim();
  if (word.includes('\n')) return null;
  const quoted = /^(["'])(.*)\1$/.exec(word)?.[2];
  const bare = quoted ?? (/(?<!\\)\s/.test(word) ? null : word.replace(/\\(.)/g, '$1'));
  if (bare === null || !/\.(?:png|jpe?g|gif|webp)$/i.test(bare)) return null;
  const local = bare.startsWith('file://') ? decoded(bare.slice('file://'.length)) : bare;
  return /^(?:\/|~\/|[A-Za-z]:[\\/])/.test(local) ? local : null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The text with every folded paste in the place of its token. */
export function unfoldedText(text: string, folded: readonly FoldedText[]): string {
  let whole = text;
  for (const each of folded) if (each.kind === 'text') whole = whole.replaceAll(each.token, () => each.text);
  return whole;
}

/** The images whose tokens stand in the text. */
export function imagesIn(
  text: string,
  folded: readonly FoldedText[],
): { token: string; image: ImageSource }[] {
  return folded.flatMap((each) =>
    each.kind === 'image' && text.includes(each.token) ? [{ token: each.token, image: each.image }] : [],
  );
}

/** The token that the cursor stands in or right behind, with its place. */
export function tokenAt(
  { text, cursor }: InputLine,
  folded: readonly FoldedText[],
): { found: FoldedText; from: number; to: number } | null {
  for (const found of folded) {
    for (let from = text.indexOf(found.token); from >= 0; from = text.indexOf(found.token, from + 1)) {
      const to = from + found.token.length;
      if (cursor > from && cursor <= to) return { found, from, to };
    }
  }
  return null;
}

/** The line with the pasted text at the cursor opened; null where there is none. */
export function openedPaste(input: InputLine, folded: readonly FoldedText[]): InputLine | null {
  const at = tokenAt(input, folded);
  if (at?.found.kind !== 'text') return null;
  const { from, to, found } = at;
  return {
    text: input.text.slice(0, from) + found.text + input.text.slice(to),
    cursor: from + found.text.length,
  };
}
