import type { CommandWords } from '../base/effect.js';

/** `Shell(words)`: whole leading words after quote removal. A word known only at run time matches nothing. */
export function matchesWords(ruleWords: readonly string[], words: CommandWords): boolean {
  if (ruleWords.length === 0 || ruleWords.length > words.length) return false;
  return ruleWords.every((word, index) => words[index] === word);
}
