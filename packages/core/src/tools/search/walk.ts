import { plural } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { RipgrepEnd } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { fromOutput, placeArguments, type SearchHost } from './place.js';
import { prepareWalk, type Scope, type Walk } from './prepare-walk.js';

export interface Listing extends Scope {
  signal: AbortSignal;
  timeoutMs?: number;
  /** Levels below the place to descend; default: all. */
  maxDepth?: number;
  /** Called with the path from the place on while the walk goes on; files it answers false for are dropped. */
  accept?(inside: string): boolean;
  /** Called at the end with the absolute path of each file, and the path from the place on; false to stop. */
  onFile(path: string, inside: string): boolean | undefined;
}

export interface WalkEnd {
  /** The walk did not come to its end. */
  stopped: RipgrepEnd['stopped'];
  /** A line per folder or file that could not be read. */
  problems: string[];
}

const MAX_FILES = 1_000_000;
const MAX_BYTES = 128 * 1024 * 1024;

/** Every wanted file in the place, in no particular order. */
export async function listFiles(host: SearchHost, listing: Listing): Promise<WalkEnd> {
  const { place, accept = () => true, signal } = listing;
  const walk = await prepareWalk(host, listing, signal);
  const start = withSlash(placeArguments(place).at(-1) ?? '');
  const ownRules = createOwnRulesWatch(walk, listing);
  const found: string[] = [];
  const end = await host.ripgrep.run({
    args: listArguments(walk, listing),
    directory: place.root,
    signal,
    timeoutMs: listing.timeoutMs,
    maxBytes: MAX_BYTES,
    separator: 'nul',
    onRecord(record) {
      const inside = record.slice(start.length);
      if (accept(inside)) {
        found.push(inside);
        ownRules.pass(record);
      }
      return found.length < MAX_FILES;
    },
  });
  const folder = withSlash(place.path);
  for (const inside of found) {
    if (ownRules.mayCount() && walk.isIgnored(start + inside)) continue;
    if (listing.onFile(folder + inside, inside) === false) break;
  }
  return { stopped: end.stopped, problems: readProblems(end, listing) };
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

function listArguments(walk: Walk, { maxDepth, place }: Listing): string[] {
  const depth = maxDepth === undefined ? [] : [`--max-depth=${maxDepth}`];
  return [...walk.args, '--files', '--null', ...depth, ...placeArguments(place)];
}

/**
 * Watches for ignore files other than git's in the folders of the walk and those above. Nearly always there are none, and
 * then no file needs to be judged by such rules. The folders themselves are asked: git's rules may hide the file.
 */
function createOwnRulesWatch({ view, leavesAllToView }: Walk, { place }: Listing) {
  let mayCount = leavesAllToView === true || view?.hasOwnRules(place.path) === true;
  const passed = new Set([placeArguments(place).at(-1) ?? '']);
  let last = '';
  const passFolder = (folder: string): void => {
    if (mayCount || folder === '' || passed.has(folder)) return;
    passed.add(folder);
    mayCount = view?.hasOwnFile(fromOutput(place, folder)) === true;
    passFolder(folder.slice(0, Math.max(0, folder.lastIndexOf('/'))));
  };
  return {
    mayCount: () => mayCount,
    /** A file, as ripgrep prints it. */
    pass(output: string): void {
      if (mayCount || !view) return;
      const end = output.lastIndexOf('/');
      // Files of one folder mostly come in a row.
      if (end === last.length && output.startsWith(last)) return;
      last = output.slice(0, end);
      passFolder(last);
    },
  };
}

const MAX_PROBLEMS = 5;
const READ_PROBLEM = /^rg: (\.\/.*): (.+?)(?: \(os error \d+\))?$/;

/** Unreadable paths, from ripgrep's messages; a message that is not about a path fails the whole search. */
export function readProblems(end: RipgrepEnd, { place, hidden }: Scope): string[] {
  if (end.exitCode === 2 && !end.stderr.startsWith('rg: ./')) throw ripgrepFailure(end.stderr);
  const problems = end.stderr.split('\n').flatMap((line) => {
    const [, path, why] = READ_PROBLEM.exec(line) ?? [];
    if (path === undefined || hidden?.(fromOutput(place, path))) return [];
    return [`${path === './' ? '.' : foreignName(path.slice(2))}: ${why}`];
  });
  const more = problems.length - MAX_PROBLEMS;
  return more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more`] : problems;
}

/** In ripgrep's own words, less its advice about options that are not offered here. */
function ripgrepFailure(stderr: string): ToolError {
  const message = stderr
    .replace(/^rg: /, '')
    .split(/\n\nConsider enabling /)[0]!
    .trim();
  if (/^(?:regex parse error|the literal |error parsing|regex could not be compiled)|regex/i.test(message)) {
    return new ToolError(
      'invalid_params',
      `The pattern can't be used: ${message}\nPatterns are Rust regular expressions; set literal to search for the text as it stands.`,
    );
  }
  return new ToolError('failed', `ripgrep failed: ${message || 'it gave no reason'}`);
}

export function hiddenRemark(count: number): string[] {
  return count === 0 ? [] : [`[${plural(count, 'file')} hidden by rules.]`];
}

/** Why an answer may not be whole. */
export function unreadRemarks({ stopped, problems }: WalkEnd): string[] {
  const remarks = problems.length > 0 ? [`[Could not be read: ${problems.join('; ')}.]`] : [];
  if (stopped !== null) remarks.push(`[${sentences[stopped]} Use a narrower path to see everything.]`);
  return remarks;
}

/** Why a list is not all there is, and what to do; undefined where it is. */
export function stoppedEarly({ stopped }: WalkEnd): string | undefined {
  return stopped === null ? undefined : `${sentences[stopped]} Use a narrower path.`;
}

const sentences = {
  caller: 'Stopped at a limit: there is more.',
  bytes: 'Stopped because there was too much output.',
  time: 'Stopped at the time limit before everything was looked at.',
};
