import { basename, relative } from 'node:path';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { type Glob, parseGlob, splitPlainFolders } from '@toolwright/machine/base/patterns/glob.js';
import { ignoreReason } from '@toolwright/machine/host/ignore/ignore.js';
import { explainMissing } from '../search/explain-missing.js';
import { findPlace, type IsHidden, type SearchHost, type SearchPlace } from '../search/place.js';
import { listFiles } from '../search/walk.js';

export interface Selection {
  /** Files and folders by name, and patterns. */
  paths: readonly string[];
  /** Patterns of what to leave out; a folder's name leaves out what is in it. */
  exclude?: readonly string[] | undefined;
  /** Look into the folders of a folder. */
  recursive?: boolean | undefined;
  /** Leave out what is rarely meant: installed, built, generated, secret. */
  defaultExcludes?: boolean | undefined;
  hidden?: IsHidden | undefined;
  signal: AbortSignal;
}

export interface SelectedFile {
  /** Absolute. */
  path: string;
  /** Named itself, or by a pattern with its extension: then an image or PDF is wanted too. */
  named: boolean;
}

export interface SkippedFile {
  /** A path or pattern, as the model can use it. */
  what: string;
  why: string;
}

export interface SelectedFiles {
  files: SelectedFile[];
  skipped: SkippedFile[];
  /** Files left out by the default excludes. */
  excludedByDefault: number;
  ignored: IgnoredCount;
  hidden: number;
}

/** How many files ignore files left out that would have been read; a look that was cut short counts a part of them. */
export interface IgnoredCount {
  count: number;
  isPart: boolean;
}

const MAX_WALKED = 20_000;
const WALK_LIMIT_MS = 10_000;
const SECOND_LOOK_MS = 1_000;

const DEFAULT_EXCLUDES = [
  'node_modules,bower_components,vendor,__pycache__,.venv,venv,site-packages,target,dist,build,out,coverage',
  '.next,.nuxt,.cache,.gradle,.tox,.mypy_cache,.pytest_cache,.idea,.vscode,.DS_Store,.env,.env.*',
  '*.lock,package-lock.json,pnpm-lock.yaml,go.sum,*.min.js,*.min.css,*.map,*.snap,*.pyc,*.class,*.o',
].map((names) => `{${names}}`);

/** Resolves the paths and patterns of a call to files, each once, in the order named. */
export async function selectFiles(host: SearchHost, selection: Selection): Promise<SelectedFiles> {
  const gathered: Gathered = {
    files: new Map(),
    skipped: [],
    excludedByDefault: new Set(),
    ignored: new Set(),
    missedIgnored: false,
    hidden: new Set(),
  };
  const isExcluded = excluder(selection.exclude ?? []);
  const isExcludedByDefault = excluder(selection.defaultExcludes === false ? [] : DEFAULT_EXCLUDES);
  const gathering = { ...selection, host, gathered, isExcluded, isExcludedByDefault };
  for (const entry of new Set(selection.paths)) {
    try {
      await gatherEntry(entry, gathering);
    } catch (error) {
      if (!isToolError(error)) throw error;
      gathered.skipped.push({ what: entry, why: error.message });
    }
  }
  return {
    files: [...gathered.files].map(([path, named]) => ({ path, named })),
    skipped: gathered.skipped,
    excludedByDefault: gathered.excludedByDefault.size,
    ignored: {
      count: [...gathered.ignored].filter((path) => !gathered.files.has(path)).length,
      isPart: gathered.missedIgnored,
    },
    hidden: gathered.hidden.size,
  };
}

interface Gathered {
  /** The paths of the files, each with whether it was named. */
  files: Map<string, boolean>;
  skipped: SkippedFile[];
  excludedByDefault: Set<string>;
  ignored: Set<string>;
  /** A look for ignored files did not come to its end. */
  missedIgnored: boolean;
  hidden: Set<string>;
}

interface Gathering extends Selection {
  host: SearchHost;
  gathered: Gathered;
  isExcluded: Excluder;
  isExcludedByDefault: Excluder;
}

/** A name wins over a pattern: folders called `[id]` are common. */
async function gatherEntry(entry: string, gathering: Gathering): Promise<void> {
  const { host, gathered, signal } = gathering;
  const path = host.workspace.resolve(entry);
  const stat = await host.files.stat(path);
  if (stat?.kind === 'file') {
    if (gathering.isExcluded(path, rootOf(host, path)))
      gathered.skipped.push({ what: entry, why: 'excluded' });
    else gathered.files.set(path, true);
  } else if (stat?.kind === 'directory') {
    const place = await findPlace(host, path, gathering.hidden);
    const kept = ignoreReason(host, place.path, 'directory');
    if (kept === null) await gatherFrom({ place, entry }, gathering);
    else gathered.skipped.push({ what: entry, why: kept });
  } else if (stat) {
    gathered.skipped.push({ what: entry, why: 'neither a file nor a folder' });
  } else if (/[*?[\]{}]/.test(entry)) {
    await gatherPattern(entry, gathering);
  } else {
    gathered.skipped.push({
      what: entry,
      why: await explainMissing(host, path, { signal, hidden: gathering.hidden }),
    });
  }
}

async function gatherPattern(entry: string, gathering: Gathering): Promise<void> {
  const { host, gathered } = gathering;
  const { folder, rest } = splitPlainFolders(entry);
  const glob = parseGlob(rest, { caseSensitive: false });
  if ('problem' in glob) {
    gathered.skipped.push({ what: entry, why: `the pattern ${glob.problem}` });
    return;
  }
  const place = await findPlace(host, folder === '' ? '.' : folder, gathering.hidden);
  await gatherFrom({ place, entry, glob }, gathering);
}

interface FileSource {
  place: SearchPlace;
  entry: string;
  glob?: Glob;
}

async function gatherFrom(source: FileSource, gathering: Gathering): Promise<void> {
  const { gathered, host } = gathering;
  const found = await walk(source, gathering, { includeIgnored: false, timeoutMs: WALK_LIMIT_MS });
  for (const path of found.paths.sort()) {
    if (gathering.isExcluded(path, rootOf(host, path))) continue;
    // From the place on: whoever names a build folder means it.
    if (gathering.isExcludedByDefault(path, source.place.path)) gathered.excludedByDefault.add(path);
    else gathered.files.set(path, gathered.files.get(path) || namesExtension(source, path));
  }
  if (found.stopped)
    gathered.skipped.push({ what: source.entry, why: 'too many files; not all were looked at' });
  // What lies in an ignored place was found already; where there was too much, nobody needs to know of more.
  if (found.paths.length > 0 && (source.place.isIgnored || found.stopped)) return;
  const all = await walk(source, gathering, { includeIgnored: true, timeoutMs: SECOND_LOOK_MS });
  if (found.paths.length > 0) noteIgnored({ place: source.place, found, all }, gathering);
  else gathered.skipped.push({ what: source.entry, why: whyNone(all.paths[0], host) });
}

function noteIgnored(
  { place, found, all }: { place: SearchPlace; found: WalkedFiles; all: WalkedFiles },
  { gathered, host, isExcluded, isExcludedByDefault }: Gathering,
): void {
  const known = new Set(found.paths);
  for (const path of all.paths) {
    const isLeftOutAnyway = isExcluded(path, rootOf(host, path)) || isExcludedByDefault(path, place.path);
    if (!known.has(path) && !isLeftOutAnyway) gathered.ignored.add(path);
  }
  gathered.missedIgnored ||= all.stopped;
}

function whyNone(ignored: string | undefined, { workspace }: SearchHost): string {
  return ignored === undefined
    ? 'no files found'
    : `only ignored files found, such as ${workspace.show(ignored)}; name them one by one to read them`;
}

interface WalkedFiles {
  paths: string[];
  stopped: boolean;
}

async function walk(
  { place, glob }: FileSource,
  { host, gathered, hidden, recursive, signal }: Gathering,
  { includeIgnored, timeoutMs }: { includeIgnored: boolean; timeoutMs: number },
): Promise<WalkedFiles> {
  const paths: string[] = [];
  const view = host.ignore.view();
  const end = await listFiles(host, {
    place,
    includeIgnored,
    nameSketches: glob?.nameSketches ?? [],
    maxDepth: glob === undefined && recursive === false ? 1 : undefined,
    timeoutMs,
    signal,
    onFile(path) {
      if (glob && !glob.fits(relative(place.path, path))) return true;
      if (hidden?.(path, place.path) || view.namingRuleOf(path) !== null) gathered.hidden.add(path);
      else paths.push(path);
      return paths.length < MAX_WALKED;
    },
  });
  return { paths, stopped: end.stopped !== null };
}

/** `*.png` means images; `**` and `assets/*` do not. */
function namesExtension({ entry, glob }: FileSource, path: string): boolean {
  const extension = /\.(\w+)$/.exec(basename(path))?.[1]?.toLowerCase();
  return glob !== undefined && extension !== undefined && basename(entry).toLowerCase().includes(extension);
}

function rootOf({ workspace }: SearchHost, path: string): string {
  return workspace.rootOf(path)?.path ?? workspace.directory;
}

/** Matches a pattern against the path below a folder, or a folder on the way to it. */
type Excluder = (path: string, below: string) => boolean;

function excluder(patterns: readonly string[]): Excluder {
  const globs = patterns.flatMap((pattern) => {
    const glob = parseGlob(pattern, { caseSensitive: false, nameAtAnyDepth: true });
    return 'problem' in glob ? [] : [glob];
  });
  return (path, below) => {
    const names = relative(below, path).split('/');
    return globs.some((glob) => names.some((_, index) => glob.fits(names.slice(0, index + 1).join('/'))));
  };
}
