import { SettingsError } from '../errors.js';

const OPERATORS = /[|&;<>()`\n]/;

/**
 * Splits a command from the settings into program and arguments. A list is taken as it is; a string is split at
 * blanks, with quotes as in a shell. No shell runs it, so shell syntax is refused rather than passed on as a plain
 * word.
 */
export function commandWords(command: string | readonly string[], setting: string): string[] {
  const words = typeof command === 'string' ? split(command, setting) : [...command];
  if (words.length === 0 || words[0] === '') throw new SettingsError(`${setting}: the command is empty.`);
  const broken = words.find((word) => word.includes('\0'));
  if (broken !== undefined)
    throw new SettingsError(
      `${setting}: the command contains a NUL character, which no program can be given.`,
    );
  return words;
}

function split(text: string, setting: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"' || character === "'") {
      const end = endOfQuote(text, at);
      if (end === -1)
        throw new SettingsError(`${setting}: the quote ${character} is never closed in: ${text}`);
      const inside = text.slice(at + 1, end);
      word = (word ?? '') + (character === '"' ? inside.replace(/\\(["\\])/g, '$1') : inside);
      at = end;
    } else if (/\s/.test(character) && character !== '\n') {
      if (word !== null) words.push(word);
      word = null;
    } else if (OPERATORS.test(character)) {
      throw new SettingsError(
        `${setting}: ${JSON.stringify(character)} means something to a shell only, and this command is run without one: ${text}. Put it into a script, or name the shell: ["sh", "-c", "…"].`,
      );
    } else if (character === '\\' && at + 1 < text.length && process.platform !== 'win32') {
      word = (word ?? '') + (text[++at] as string);
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function endOfQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

/** The command as it would be typed in a shell. */
export function formatCommand(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
