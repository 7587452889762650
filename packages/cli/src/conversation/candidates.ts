/** Words that what was typed last may become. */
export interface Candidates {
  typed: string;
  words: readonly string[];
}

export function fitting(typed: string, words: readonly string[]): Candidates {
  return { typed, words: [...new Set(words)].filter((word) => word.startsWith(typed)).sort() };
}

export function commonStart(words: readonly string[]): string {
  const [first = '', ...others] = words;
  let length = first.length;
  for (const word of others) while (!word.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}
