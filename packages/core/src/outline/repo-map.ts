import { plural } from '@toolwright/machine/base/amounts.js';
import type { SourceDeclaration } from './outline.js';

/** A source file of the workspace, as far as a map needs it. */
export interface MappedFile {
  /** The path as the model reads it. */
  path: string;
  declarations: readonly SourceDeclaration[];
  /** Every name in its text. */
  words: ReadonlySet<string>;
  /** The conversation has read or changed it. */
  isTouched: boolean;
}

const SHORTEST_NAME = 3;
/** A name that many files declare says nothing of one of them. */
const MOST_OWNERS = 5;
const TOUCHED_WEIGHT = 20;
const MOST_PER_FILE = 15;
const CHARACTERS_PER_TOKEN = 4;

export function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? []);
}

/** Files in order of use: those whose names other files use, above all files that the conversation has touched. */
export function rankFiles(files: readonly MappedFile[]): MappedFile[] {
  const owners = new Map<string, number[]>();
  for (const [index, { declarations }] of files.entries())
    for (const name of new Set(declarations.map((each) => each.name)))
      if (name.length >= SHORTEST_NAME) owners.set(name, [...(owners.get(name) ?? []), index]);
  const scores = files.map(({ isTouched }) => (isTouched ? TOUCHED_WEIGHT : 0));
  for (const [user, { words, isTouched }] of files.entries())
    for (const word of words) {
      const owning = owners.get(word);
      if (!owning || owning.length > MOST_OWNERS) continue;
      for (const owner of owning)
        if (owner !== user) scores[owner]! += (isTouched ? TOUCHED_WEIGHT : 1) / owning.length;
    }
  const order = files.map((file, index) => ({ file, score: scores[index] ?? 0 }));
  order.sort((one, other) => other.score - one.score || (one.file.path < other.file.path ? -1 : 1));
  return order.map(({ file }) => file);
}

/** The map within a budget: files with their outermost declarations, and how many files are left out. */
export function renderMap(ranked: readonly MappedFile[], budgetTokens: number): string {
  const blocks: string[] = [];
  let room = budgetTokens * CHARACTERS_PER_TOKEN - 80;
  for (const { path, declarations } of ranked) {
    const shown = declarations.filter(({ depth }) => depth < 2).slice(0, MOST_PER_FILE);
    const more = declarations.length - shown.length;
    const lines = shown.map(({ line, depth, text }) => `  ${line}: ${'  '.repeat(depth)}${text}`);
    const block = [path, ...lines, ...(more > 0 ? [`  … ${more} more`] : [])].join('\n');
    if (block.length + 1 > room) continue;
    room -= block.length + 1;
    blocks.push(block);
  }
  const left = ranked.length - blocks.length;
  if (left > 0) blocks.push(`[${plural(left, 'more file')}; ask for a folder, or for more tokens.]`);
  return blocks.join('\n');
}
