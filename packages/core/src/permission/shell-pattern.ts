import type { CommandWords } from '@toolwright/machine/base/effect.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';

interface ShellRule {
  pattern: string;
  source: string;
}

/** Unquoted, these mean something to a shell that a rule can't mean. */
const SPECIAL = /[*?[\]{}|&;<>()$`]/;

/** The words of a `Shell(…)` rule, read with the quoting of a shell: `git commit -m "a b"` has four. */
export function ruleWords({ pattern, source }: ShellRule): string[] {
  const mistake = (problem: string): SettingsError =>
    new SettingsError(`${source}: the rule ${JSON.stringify(`Shell(${pattern})`)} ${problem}`);
  const words: string[] = [];
  let word: string | null = null;
  for (const [piece] of pattern.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\.|\s+|./gsu)) {
    if (/^\s/u.test(piece)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (piece.length > 1) {
      word = (word ?? '') + unquoted(piece);
    } else if (piece === "'" || piece === '"') {
      throw mistake(`opens a quote ${piece} and does not close it.`);
    } else if (piece === '*') {
      throw mistake(
        'has a *. A rule names the first words of a command, whatever follows: Shell(git log), not Shell(git log *). For a real star write "*".',
      );
    } else if (SPECIAL.test(piece)) {
      throw mistake(
        `has a ${piece}, which no word of a command is. Name one command; each command of a compound needs a rule of its own. In quotes it stands for itself.`,
      );
    } else {
      word = (word ?? '') + piece;
    }
  }
  if (word !== null) words.push(word);
  if (words[0] === '' || words.length === 0) throw mistake('names no program.');
  return words;
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\([$`"\\\n])/g, (_, kept: string) => kept);
  return piece.slice(1);
}

/** A rule for these words, quoted where a rule needs it. */
export function shellRule(words: readonly string[]): string {
  return `Shell(${words.map(quoted).join(' ')})`;
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * True if a command of this program may begin with these words when it runs: a word that is not known yet can become any
 * number of words, one with a pattern whatever file has such a name, a program may be called by its path, and options
 * may stand between (`git -C . push`).
 */
export function mayBeginWith(
  [program, ...others]: CommandWords,
  [name, ...words]: readonly string[],
): boolean {
  if (typeof program !== 'string' || name === undefined) return false;
  if (program !== name && !program.endsWith(`/${name}`)) return false;
  let places = [0];
  for (const word of words) {
    const next = new Set<number>();
    for (const place of pastOptions(others, places)) {
      const found = others[place];
      if (found === null || (found !== undefined && /[*?[]/.test(found))) return true;
      if (found === word) next.add(place + 1);
    }
    places = [...next];
  }
  return places.length > 0;
}

/** These places, and those behind options there, with and without a value; an unknown word that is a value is none. */
function pastOptions(words: CommandWords, from: readonly number[]): number[] {
  const places = new Set(from);
  const values = new Set<number>();
  for (const place of places) {
    const word = words[place];
    if (typeof word !== 'string' || !/^-./.test(word)) continue;
    places.add(place + 1);
    if (word.includes('=') || word.startsWith('--no-')) continue;
    places.add(place + 2);
    if (words[place + 1] === null) values.add(place + 1);
  }
  return [...places].filter((place) => !values.has(place));
}
