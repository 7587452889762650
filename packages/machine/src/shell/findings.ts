import { dirname, resolve } from 'node:path';
import type { BeyondRule, CommandWords } from '../base/effect.js';
import { foreignSentence, foreignText } from '../base/sentences/foreign-text.js';
import type { AnalysisContext } from './analysis.js';
import { linksAmong } from './links.js';
import { folderOfGlob, follow, isInside, isReadable, sinks, spellings } from './paths.js';
import { belowThroughLinks, type ShellWord, someToken, Unreadable } from './shell-word.js';

const MOST_COMMANDS = 50;

export interface CommandEntry {
  words: CommandWords;
  doubtful: boolean;
  offer: readonly string[] | null;
  beyond: Omit<BeyondRule, 'words'> | null;
}

/** The findings of the walk over one command line. */
export interface Findings {
  context: AnalysisContext;
  commands: CommandEntry[];
  doubts: Set<string>;
  /** Every call of `doubt`, also for what was doubted before. */
  doubtCount: number;
  /** The doubts among them that belong to programs started by the one being judged. */
  nestedDoubts: number;
  reads: Set<string>;
  writes: Set<string>;
  deletes: Set<string>;
  /** Changes that are what the program is for, and others. */
  ordinary: Set<string>;
  extraordinary: Set<string>;
  network: Set<string>;
  background: boolean;
  environment: Record<string, string>;
  scripts: Set<string>;
}

export function createFindings(context: AnalysisContext): Findings {
  return {
    context,
    commands: [],
    doubts: new Set(),
    doubtCount: 0,
    nestedDoubts: 0,
    reads: new Set(),
    writes: new Set(),
    deletes: new Set(),
    ordinary: new Set(),
    extraordinary: new Set(),
    network: new Set(),
    background: false,
    environment: {},
    scripts: new Set(),
  };
}

export function doubt(findings: Findings, reason: string): undefined {
  findings.doubtCount++;
  // A doubt quotes words of the command.
  findings.doubts.add(foreignSentence(reason));
}

/** Lists a command; the entry is completed once the command was judged. */
export function listCommand(findings: Findings, words: CommandWords): CommandEntry {
  if (findings.commands.length >= MOST_COMMANDS) {
    throw new Unreadable(`there are more than ${MOST_COMMANDS} commands in it`);
  }
  const entry: CommandEntry = { words, doubtful: false, offer: null, beyond: null };
  findings.commands.push(entry);
  return entry;
}

/** A program is started that only running would name: no rule may cover it. */
export function listUnknownProgram(findings: Findings, reason: string): undefined {
  doubt(findings, reason);
  listCommand(findings, [null]).doubtful = true;
}

/** The places a word may mean, or a clause about what can't be known. */
type Places = { places: { path: string; real: string }[] } | { unknown: string };

function placesOf(word: ShellWord, directories: readonly string[], context: AnalysisContext): Places {
  if (word.kind === 'dynamic') return { unknown: 'a path known only when it runs' };
  const names = word.kind === 'glob' ? [folderOfGlob(word.text)] : word.values;
  if (names.some((name) => name === null)) return { unknown: `${word.text}, which may lead anywhere` };
  const places = names.flatMap((name) =>
    directories.map((directory) => ({
      path: resolve(directory, name ?? ''),
      real: follow(directory, name ?? '', context),
    })),
  );
  return { places };
}

export interface PathUse {
  /** The program that reads or writes, for the user: `` `cat` ``. */
  who: string;
  directories: readonly string[];
  /** Changing this is what the program is for: a rule for it is a rule for that. */
  ordinary?: boolean;
  /** True if found files are opened, and with them the targets of links. */
  opens?: boolean;
}

function unknownChange(findings: Findings, reason: string, { ordinary }: PathUse): undefined {
  if (ordinary) doubt(findings, reason);
  else listUnknownProgram(findings, reason);
}

export function readPath(findings: Findings, word: ShellWord, use: PathUse): undefined {
  if (word.kind === 'values') {
    for (const folder of foldersOfTokens(word)) readPath(findings, belowThroughLinks(folder), use);
  }
  const found = placesOf(word, use.directories, findings.context);
  if ('unknown' in found) return doubt(findings, `${use.who} reads ${found.unknown}`);
  for (const { path, real } of found.places) {
    for (const spelling of spellings(path, real)) findings.reads.add(spelling);
    if (!isReadable(path, real, findings.context)) {
      doubt(findings, `${use.who} reads ${foreignText(path)}, which is outside the workspace`);
    }
  }
  if (word.kind === 'glob' && use.opens)
    checkLinks(findings, word, { ...use, folders: found.places.map(({ path }) => path) });
}

/** Output in the place of a name may name anything there is, with folders in it. */
function foldersOfTokens({ values }: ShellWord): string[] {
  const open = values.filter((value) => value.includes(someToken));
  return open.map((value) => dirname(`${value.slice(0, value.indexOf(someToken))}x`));
}

const MOST_READS = 1_000;

/** Targets of links among the found names are read as well; those below the folders count anyway. */
function checkLinks(
  findings: Findings,
  word: ShellWord,
  { who, directories, folders }: PathUse & { folders: readonly string[] },
): undefined {
  const { context, reads } = findings;
  const links = linksAmong(word, directories, context);
  const tooMany = `${who} reads more files than can be looked at before`;
  if (links === null) return doubt(findings, tooMany);
  for (const { path, real } of links) {
    if (real === null || !isReadable(path, real, context))
      return doubt(findings, `${who} reads ${foreignText(path)}, a link that leads outside the workspace`);
    if (!folders.some((folder) => isInside(real, folder))) reads.add(real);
    if (reads.size > MOST_READS) return doubt(findings, tooMany);
  }
}

export function writePath(findings: Findings, word: ShellWord, use: PathUse): undefined {
  const found = placesOf(word, use.directories, findings.context);
  if ('unknown' in found) return unknownChange(findings, `${use.who} writes ${found.unknown}`, use);
  for (const { path } of found.places) {
    if (sinks.has(path)) continue;
    findings.writes.add(path);
    findings[use.ordinary ? 'ordinary' : 'extraordinary'].add(path);
    doubt(findings, `${use.who} writes ${foreignText(word.text || path)}`);
  }
}

export function deletePath(findings: Findings, word: ShellWord, use: PathUse): undefined {
  const found = placesOf(word, use.directories, findings.context);
  if ('unknown' in found) return unknownChange(findings, `${use.who} deletes ${found.unknown}`, use);
  for (const { path } of found.places) {
    findings.deletes.add(path);
    findings[use.ordinary ? 'ordinary' : 'extraordinary'].add(path);
    doubt(findings, `${use.who} deletes ${foreignText(word.text || path)}`);
  }
}

export function reachNetwork(findings: Findings, what: string): undefined {
  findings.network.add(what);
  doubt(findings, `${what}${REACHES_NETWORK}`);
}

const REACHES_NETWORK = ' reaches the network';

/** The program that a doubt says reaches the network; null for a doubt about anything else. */
export function programOnNetwork(doubt: string): string | null {
  return doubt.endsWith(REACHES_NETWORK) ? doubt.slice(0, -REACHES_NETWORK.length) : null;
}

/** The doubt about a command that asks for the network, where no program of it is known to reach it. */
export const MAY_USE_NETWORK = 'it may use the network';

export function isAboutNetwork(doubt: string): boolean {
  return doubt === MAY_USE_NETWORK || programOnNetwork(doubt) !== null;
}
