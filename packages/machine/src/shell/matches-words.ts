import type { CommandWords } from '../base/effect.js';

/** Matches the rule `Shell(words)`: whole leading words, quotes removed. A word known only at run time matches nothing. */
export function matchesWords(ruleWords: readonly string[], words: CommandWords): boolean {
  if (ruleWords.length === 0 || ruleWords.length > words.length) return false;
  return ruleWords.every((word, index) => words[index] === word);
}
