import type { CommandWords, Effect } from '@toolwright/machine/base/effect.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';

interface WrittenPattern {
  pattern: string;
  source: string;
}

/** Unquoted, these mean something to a shell that a rule can't mean. */
const SPECIAL = /[*?[\]{}|&;<>()$`]/;

/** A word of a rule that asks or denies: the word itself, or its texts before, between and behind stars. */
export type NarrowingWord = string | readonly string[];

/** The words of a `Shell(…)` rule, read with the quoting of a shell: `git commit -m "a b"` has four. */
export function ruleWords(written: WrittenPattern): string[] {
  return wordsWithStars(written).map((word) => {
    if (typeof word === 'string') return word;
    throw mistakeIn(
      written,
      'has a *. A rule that allows names the first words of a command, whatever follows: Shell(git log), not Shell(git log *). For a real star write "*".',
    );
  });
}

/** The words of a rule that asks or denies, in which a star stands for any words, or for any part of one. */
export function narrowingWords(written: WrittenPattern): NarrowingWord[] {
  return wordsWithStars(written);
}

function mistakeIn({ pattern, source }: WrittenPattern, problem: string): SettingsError {
  return new SettingsError(`${source}: the rule ${JSON.stringify(`Shell(${pattern})`)} ${problem}`);
}

function wordsWithStars(written: WrittenPattern): NarrowingWord[] {
  const words: string[][] = [];
  let word: string[] | null = null;
  for (const [piece] of written.pattern.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\.|\s+|./gsu)) {
    if (/^\s/u.test(piece)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    word ??= [''];
    if (piece === '*') word.push('');
    else word.push(word.pop() + textOf(piece, written));
  }
  if (word !== null) words.push(word);
  if (words.length === 0 || (words[0]?.length === 1 && words[0][0] === ''))
    throw mistakeIn(written, 'names no program.');
  if (words.every(isAnyWords))
    throw mistakeIn(written, 'names no command. For every command name the tool: run_shell_command.');
  return words.map((texts) => (texts.length === 1 ? texts.join('') : texts));
}

function textOf(piece: string, written: WrittenPattern): string {
  if (piece.length > 1) return unquoted(piece);
  if (piece === "'" || piece === '"')
    throw mistakeIn(written, `opens a quote ${piece} and does not close it.`);
  if (SPECIAL.test(piece))
    throw mistakeIn(
      written,
      `has a ${piece}, which can't be part of a word of a command. Name one command; each command of a compound needs a rule of its own. In quotes it stands for itself.`,
    );
  return piece;
}

/** True for a star that is a word of its own. */
function isAnyWords(word: NarrowingWord): boolean {
  return typeof word !== 'string' && word.every((text) => text === '');
}

function fitsWord(word: NarrowingWord, text: string): boolean {
  if (typeof word === 'string') return word === text;
  const [first = '', ...others] = word;
  const last = others.pop() ?? '';
  if (!text.startsWith(first) || !text.slice(first.length).endsWith(last)) return false;
  let rest = text.slice(first.length, text.length - last.length);
  for (const between of others) {
    const at = rest.indexOf(between);
    if (at === -1) return false;
    rest = rest.slice(at + between.length);
  }
  return true;
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
 * True if a command of this program may begin with these words when it runs: a word that is not known yet (null) can become
 * any number of words, a program may be called by its path, and options may stand between (`git -C . push`). A star in the
 * rule stands for any words; one about every program takes an unknown word for no match, or nearly every command would be one.
 */
export function mayBeginWith(
  [program, ...others]: CommandWords,
  [name, ...words]: readonly NarrowingWord[],
): boolean {
  if (typeof program !== 'string' || name === undefined) return false;
  if (!isProgram(program, name)) return false;
  const isAboutAll = isAnyWords(name);
  let isAfterStar = isAboutAll;
  let places = isAboutAll ? everyPlace(others, 0) : [0];
  for (const word of words) {
    if (isAnyWords(word)) {
      places = everyPlace(others, Math.min(...places));
      isAfterStar = true;
      continue;
    }
    const next = new Set<number>();
    for (const place of isAfterStar ? places : pastOptions(others, places)) {
      const found = others[place];
      if (found === null && !isAboutAll) return true;
      if (typeof found === 'string' && fitsWord(word, found)) next.add(place + 1);
    }
    if (next.size === 0) return false;
    places = [...next];
    isAfterStar = false;
  }
  return true;
}

/** A program may be called by its path. */
function isProgram(program: string, name: NarrowingWord): boolean {
  if (typeof name === 'string') return program === name || program.endsWith(`/${name}`);
  return fitsWord(name, program) || fitsWord(name, program.slice(program.lastIndexOf('/') + 1));
}

function everyPlace(words: CommandWords, from: number): number[] {
  return words.map((_, index) => index).slice(from);
}

/** Gives these places, and those behind options there, with and without a value; an unknown word that is a value is none. */
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

/** `server` for all its tools, or `server/tool`. */
export function mcpMatcher({ pattern, source }: WrittenPattern): (server: string, tool: string) => boolean {
  const written = pattern.trim();
  const slash = written.indexOf('/');
  const server = slash === -1 ? written : written.slice(0, slash);
  const tool = slash === -1 ? undefined : written.slice(slash + 1);
  if (server === '' || tool === '' || /[*\s]/.test(written)) {
    throw new SettingsError(
      `${source}: the rule ${JSON.stringify(`Mcp(${pattern})`)} names no server or tool. Write Mcp(server) for all its tools, or Mcp(server/tool).`,
    );
  }
  return (actualServer, actualTool) => actualServer === server && (tool ?? actualTool) === actualTool;
}

const KINDS = ['read', 'write', 'ssh-agent', 'host'] as const;
type OutsideKind = (typeof KINDS)[number];

/** Reads `read PATH`, `write PATH`, `ssh-agent` or `host HOST`: what a command may reach beyond its sandbox. */
export function parseOutside({ pattern, source }: WrittenPattern): { kind: OutsideKind; named: string } {
  const written = pattern.trim();
  const [first = ''] = written.split(/\s+/);
  const named = written.slice(first.length).trim();
  const mistake = (problem: string): SettingsError =>
    new SettingsError(`${source}: the rule ${JSON.stringify(`Outside(${pattern})`)} ${problem}`);
  const kind = KINDS.find((each) => each === first);
  if (kind === undefined) {
    const forms = 'Write Outside(read PATH), Outside(write PATH), Outside(ssh-agent) or Outside(host HOST).';
    const hint = `${didYouMean(nearest(first, KINDS, 1))} ${forms}`.trimStart();
    throw mistake(`begins with ${JSON.stringify(first)}. ${hint}`);
  }
  if (kind === 'ssh-agent') {
    if (named !== '') throw mistake('names something after ssh-agent. Write Outside(ssh-agent).');
    return { kind, named };
  }
  if (named === '') throw mistake(`names no ${kind === 'host' ? 'host' : 'path'} after ${kind}.`);
  if (kind !== 'host' && !/^(?:\/|~(?:\/|$))/.test(named))
    throw mistake('names a path in the workspace. Write the whole path, or one that begins with ~/.');
  return { kind, named };
}

/** The ports meant when none is named: of ssh and of the web. */
const outsidePorts: readonly number[] = [22, 80, 443];

type HostMatcher = (host: string, port: number) => boolean;

/** Tests a rule against the host of an effect: a rule that allows must match every port, any other rule at least one. */
export function reachesHost(effect: Effect, matches: HostMatcher, narrows: boolean): boolean {
  if (effect.kind !== 'outside' || effect.access !== 'host') return false;
  const { host, port } = hostAndPort(effect.host);
  if (narrows) return (port === undefined ? outsidePorts : [port]).some((each) => matches(host, each));
  // A rule without a port means those of the web for fetching, and that of ssh too for commands.
  const isForAll = matches(host, 80) && matches(host, 443);
  return port === undefined ? isForAll : matches(host, port) || (isForAll && outsidePorts.includes(port));
}

function hostAndPort(written: string): { host: string; port: number | undefined } {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(written) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
}
