import { dirname, resolve } from 'node:path';
import type { BeyondRule } from '../../base/effect.js';
import { projectFile } from '../../base/places/places.js';
import { foreignSentence, foreignText } from '../../base/sentences/foreign-text.js';
import type { AnalysisContext } from '../analysis.js';
import { isRunner } from '../models/interpreters.js';
import { modelOf } from '../models/programs.js';
import { startedAt } from '../offers.js';
import { follow, isInside, rootsOf, sinks } from '../paths.js';
import { mayBeOption, type ShellWord } from '../shell-word.js';
import { type KnownOption, type ProgramReach, tableOf } from './program-reach.js';
import { modelledReach, reachOfProgram } from './programs.js';
import { isPlainEverywhere, looksLikePath, reachesEverywhere } from './spellings.js';

/** The last word of a command that a rule has to spell to cover it, because it names another program, file or place. */
interface Reach {
  /** Number of words; more than the command has where no rule can spell it. */
  spelled: number;
  /** The effect of the word, for the user. */
  why: string;
}

interface ReachReading extends RunPlace {
  words: readonly ShellWord[];
  table: ReadonlyMap<string, KnownOption>;
  program: ProgramReach;
  at: number;
  /** The words belong to the program itself, not to what it hands them on to. */
  own: boolean;
  operands: number;
  found: Reach | null;
}

const NAMES = 'names another program, file or place';

/** The part of a command that a rule for its first words does not cover; null where it covers all. */
export function beyondRule(words: readonly ShellWord[], place: RunPlace): Omit<BeyondRule, 'words'> | null {
  const program = words[0]?.text ?? '';
  if (reachOfProgram(program) === null) return null;
  const folders = foreignFolders(program, place);
  const reach = reachOf(words, place);
  if (folders.length === 0 && reach === null) return null;
  const why = reach?.why ?? `it runs in ${foreignText(folders[0]!)}, which is not what a rule is about`;
  return { spelled: reach?.spelled ?? 0, folders, why };
}

/**
 * Finds what a rule for the first words of a command leaves open. Unknown options are taken to name something
 * where their value looks like a path; where the whole of a word is known only when it runs, it may be any option.
 */
function reachOf(words: readonly ShellWord[], place: RunPlace): Reach | null {
  const program = reachOfProgram(words[0]?.text ?? '');
  if (program === null) return null;
  const reading: ReachReading = {
    ...place,
    words,
    program,
    table: tableOf(program),
    at: 1,
    own: true,
    operands: 0,
    found: null,
  };
  const started = startsProgram(words[0]!.text) ? startedAt(words, modelOf(words[0]!.text)) : 0;
  const end = started > 0 && !program.anywhere ? started : words.length;
  while (reading.at < end) readWord(reading);
  return latest(reading.found, started > 0 ? startedReach(words, place, started) : null);
}

/** `turbo run build` is a task of its own; `hatch run pytest` starts a program. */
function startsProgram(name: string): boolean {
  return modelOf(name)?.starts !== undefined || (isRunner(name) && !modelledReach.includes(name));
}

/** A runner's rule says at least up to the program that is started; what follows is up to that program. */
function startedReach(words: readonly ShellWord[], place: RunPlace, at: number): Reach | null {
  const inner = reachOf(words.slice(at), place);
  const runner = words.slice(0, at).filter(({ prefix }) => !prefix.startsWith('-'));
  const said = runner.map(({ text }) => text).join(' ');
  const own: Reach = { spelled: runner.length, why: `${said} starts another program` };
  return latest(own, inner && { ...inner, spelled: inner.spelled + at });
}

function latest(one: Reach | null, other: Reach | null): Reach | null {
  if (one === null || other === null) return one ?? other;
  return other.spelled > one.spelled ? other : one;
}

function mark(reading: ReachReading, spelled: number, why: string): undefined {
  reading.found = latest(reading.found, { spelled, why: foreignSentence(why) });
}

/** Marks a word that is known only at run time, which no rule can spell. */
function markUnknown(reading: ReachReading): undefined {
  mark(reading, reading.words.length + 1, 'has a word known only when it runs');
}

function readWord(reading: ReachReading): undefined {
  const word = reading.words[reading.at++]!;
  if (word.kind === 'literal' && word.text === '--') {
    reading.own = false;
    return;
  }
  if (word.kind !== 'literal') return readOpenWord(reading, word);
  if (word.text.length > 1 && word.text.startsWith('-') && !/^-\d/.test(word.text))
    return readOption(reading, word.text);
  if (word.text.startsWith('+') && reading.program.plus) mark(reading, reading.at, `${word.text} ${NAMES}`);
  readOperand(reading, word.text);
}

/** A pattern or a choice of values: none of them may be an option, and all must be inside the workspace. */
function readOpenWord(reading: ReachReading, word: ShellWord): undefined {
  if (word.kind === 'dynamic' || mayBeOption(word)) return markUnknown(reading);
  const names = word.kind === 'glob' ? [word.prefix] : word.values;
  if (names.some((name) => reachesAsOperand(reading, name))) return markUnknown(reading);
  if (reading.own) countOperand(reading, word.text);
}

function readOperand(reading: ReachReading, text: string): undefined {
  if (reachesAsOperand(reading, text)) mark(reading, reading.at, `${text} ${NAMES}`);
  if (reading.own) countOperand(reading, text);
}

function reachesAsOperand(reading: ReachReading, text: string): boolean {
  return (reading.own && reading.program.operands?.test(text) === true) || leadsOut(reading, text);
}

function countOperand(reading: ReachReading, text: string): undefined {
  reading.operands++;
  const { subs, passesOn } = reading.program;
  const sub = subs && (Object.hasOwn(subs, text) ? subs[text] : subs['*']);
  if (sub) {
    reading.program = sub;
    reading.table = tableOf(reading.program);
    reading.operands = 0;
  } else if (passesOn !== undefined && reading.operands >= passesOn) reading.own = false;
}

/** A path outside the workspace, as written or behind a link. */
function leadsOut({ directories, context }: RunPlace, text: string): boolean {
  if (!text.includes('/') && text !== '..') return false;
  if (sinks.has(text)) return false;
  const roots = rootsOf(context);
  return directories.some((directory) =>
    [resolve(directory, text), follow(directory, text, context)].some(
      (path) => !roots.some((root) => isInside(path, root)),
    ),
  );
}

function readOption(reading: ReachReading, text: string): undefined {
  const equals = text.indexOf('=');
  const written = equals === -1 ? text : text.slice(0, equals);
  const name = reading.own && reading.program.looseNames ? nameMeant(reading, written) : written;
  const attached = equals === -1 ? null : text.slice(equals + 1);
  const known = reading.own ? reading.table.get(name) : undefined;
  if (known) return useKnown(reading, { name, known, attached });
  if (name.startsWith('--')) {
    if (reading.own && isBeginning(reading.table, name)) return markOption(reading, name, attached);
  } else if (reading.own && !reading.program.words && readCluster(reading, text)) return;
  readUnknown(reading, name, attached);
}

/** The option that reaches somewhere and is written with other dashes, letters or a `no-`; else the name as it is written. */
function nameMeant({ table }: ReachReading, written: string): string {
  const name = `--${written
    .replace(/^-+/, '')
    .replace(/^(?:no-)+/i, '')
    .toLowerCase()}`;
  const isMeant = name.length > 3 && (table.get(name)?.reaches === true || isBeginning(table, name));
  return isMeant && !table.has(written) ? name : written;
}

interface UsedOption {
  name: string;
  known: KnownOption;
  attached: string | null;
}

function useKnown(reading: ReachReading, { name, known, attached }: UsedOption): undefined {
  if (known.reaches) return markOption(reading, name, attached ?? (known.takes === 'value' ? null : ''));
  if (known.takes === 'name') return readName(reading, name, attached);
  if (known.takes === 'value' && attached === null) skipText(reading);
}

/** `attached`: null where the value is the next word, which a rule has to spell as well. */
function markOption(reading: ReachReading, name: string, attached: string | null): undefined {
  const next = attached === null ? reading.words[reading.at] : undefined;
  if (next) reading.at++;
  if (next && next.kind !== 'literal') markUnknown(reading);
  mark(reading, reading.at, `${name} ${NAMES}`);
}

/** A name that the program knows, or the path of something else. */
function readName(reading: ReachReading, name: string, attached: string | null): undefined {
  const next = attached === null ? reading.words[reading.at++] : undefined;
  if (next && next.kind !== 'literal') return markUnknown(reading);
  const value = attached ?? next?.text ?? '';
  if (looksLikePath(value)) mark(reading, reading.at, `${name} ${value} ${NAMES}`);
}

/** Skips the next word, which is text, unless it may turn into several words. */
function skipText(reading: ReachReading): undefined {
  if (reading.words[reading.at++]?.loose) markUnknown(reading);
}

/** Most programs take the beginning of a long option for the whole. */
function isBeginning(table: ReachReading['table'], name: string): boolean {
  return [...table].some(([full, { reaches }]) => reaches && full.startsWith(name));
}

/** Letters behind one dash. False where one of them is not known. */
function readCluster(reading: ReachReading, text: string): boolean {
  for (let index = 1; index < text.length; index++) {
    const name = `-${text[index]}`;
    const known = reading.table.get(name);
    const rest = text.slice(index + 1);
    if (known?.reaches) {
      markOption(reading, name, rest === '' && known.takes === 'value' ? null : rest);
      return true;
    }
    if (known === undefined) return reachesFurther(reading, text.slice(index + 1));
    if (known.takes === 'nothing') continue;
    useKnown(reading, { name, known, attached: rest === '' && known.takes !== 'optional' ? null : rest });
    return true;
  }
  return true;
}

/** Looks for options among the letters behind an unknown one. */
function reachesFurther(reading: ReachReading, letters: string): boolean {
  const found = [...letters].find((letter) => reading.table.get(`-${letter}`)?.reaches);
  if (found !== undefined) markOption(reading, `-${found}`, null);
  return found !== undefined;
}

/** Judges an option that is in no table: by its name, or by a value that looks like a path. */
function readUnknown(reading: ReachReading, name: string, attached: string | null): undefined {
  const next = reading.words[reading.at];
  if (reachesEverywhere(name, { attached, hasNext: next !== undefined && !mayBeOption(next) }))
    return markOption(reading, name, attached);
  const isPlain = isPlainEverywhere(name);
  if (attached !== null) {
    if (leadsOut(reading, attached) || (!isPlain && looksLikePath(attached)))
      mark(reading, reading.at, `${name}=${attached} ${NAMES}`);
    return;
  }
  if (isPlain || next === undefined || next.kind !== 'literal' || !looksLikePath(next.text)) return;
  reading.at++;
  mark(reading, reading.at, `${name} ${next.text} ${NAMES}`);
}

/** Files by which git knows a repository. */
const repositoryFile = /^(?:\.git|HEAD)$/i;

const MOST_NAMES = 5_000;

interface RunPlace {
  directories: readonly string[];
  context: AnalysisContext;
}

/**
 * The folders a program may run in that are not what a rule is about. A rule is about the folders the user opened,
 * and those below that bring nothing of their own for programs to run.
 */
function foreignFolders(program: string, { directories, context }: RunPlace): string[] {
  const roots = rootsOf(context);
  return directories.filter((directory) => {
    if (roots.includes(directory)) return false;
    const real = context.realPath?.(directory) ?? directory;
    if (![directory, real].every((path) => roots.some((root) => isInside(path, root)))) return true;
    // `./run` is another program in each folder.
    if (program.includes('/') && !program.startsWith('/')) return true;
    const own = program === 'git' ? repositoryFile : projectFile;
    return belowRoot(real, roots).some((folder) => hasName(folder, own, context));
  });
}

function belowRoot(directory: string, roots: readonly string[]): string[] {
  return roots.includes(directory) || dirname(directory) === directory
    ? []
    : [directory, ...belowRoot(dirname(directory), roots)];
}

/** True where a folder has such a name, or can't be read. */
function hasName(folder: string, names: RegExp, { entriesOf }: AnalysisContext): boolean {
  const entries = entriesOf?.(folder, MOST_NAMES) ?? null;
  return entries === null || entries.some(({ name }) => names.test(name));
}
