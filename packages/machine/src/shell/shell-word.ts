import type { CommandWords } from '../base/effect.js';

/** A word of a command as far as it is known before the command runs. */
export interface ShellWord {
  /**
   * literal: exactly `text`. values: one of `values`. glob: names that fit the pattern `text`. dynamic: anything.
   */
  kind: 'literal' | 'values' | 'glob' | 'dynamic';
  /** The literal or the pattern; '' where it is not known. */
  text: string;
  values: readonly string[];
  /** The word may turn into none at all, or into several. */
  loose: boolean;
  /** A glob that stands for everything below `prefix`, and whether what links lead to counts as below it. */
  deep?: 'no links' | 'through links';
  /** Literal text at the beginning of the word. */
  prefix: string;
  /** The word as it is written in the canonical line. */
  canonical: string;
}

export function literalWord(text: string): ShellWord {
  return { kind: 'literal', text, values: [text], loose: false, prefix: text, canonical: quote(text) };
}

/** Everything below a folder, and below what links in it lead to. */
export function belowThroughLinks(folder: string): ShellWord {
  const text = `${folder}/*`;
  return {
    kind: 'glob',
    text,
    values: [],
    loose: true,
    deep: 'through links',
    prefix: folder,
    canonical: quote(text),
  };
}

/** A value that stands for some plain word: no option, no pattern, no path out of the folder. */
export const someToken = '0123456789abcdef';

export const unknownWord: ShellWord = {
  kind: 'dynamic',
  text: '',
  values: [],
  loose: true,
  prefix: '',
  canonical: '""',
};

/** The text of a word; null where it is known only at run time. */
export function wordOrNull(word: ShellWord): string | null {
  return word.kind === 'literal' ? word.text : null;
}

export function mayBeOption(word: ShellWord): boolean {
  if (word.kind === 'dynamic') return word.prefix === '' || word.prefix.startsWith('-');
  if (word.kind === 'glob') return /^[-*?[]/.test(word.text);
  return word.values.some((value) => value.startsWith('-') && value !== '-');
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Thrown where reading on makes no sense: the line counts as unreadable. */
export class Unreadable extends Error {}

/** Matches the rule `Shell(words)`: whole leading words, quotes removed. A word known only at run time matches nothing. */
export function matchesWords(ruleWords: readonly string[], words: CommandWords): boolean {
  if (ruleWords.length === 0 || ruleWords.length > words.length) return false;
  return ruleWords.every((word, index) => words[index] === word);
}
