import {
  runLaterEndings,
  runLaterFiles,
  runLaterFolders,
  runLaterInHome,
  runLaterOfSystem,
  runsOnRequest,
} from './run-later-places.js';
import { type PlacesByReason, secretsInHome, secretsOfSystem } from './secret-places.js';

/** A path that deserves a question, and why, as the end of "it holds …" or as a sentence of its own. */
export interface PlaceFound {
  /** The listed file or folder that the path is or lies in; absolute. */
  place: string;
  why: string;
}

const folders = onFirstUse(() => byName(runLaterFolders));
const files = onFirstUse(() => byName(runLaterFiles));
const endings = onFirstUse(() =>
  runLaterEndings.flatMap(([why, names]) => names.map((name) => ({ why, end: fold(name) }))),
);
const secretHome = onFirstUse(() => pathsOf(secretsInHome));
const runLaterHome = onFirstUse(() => pathsOf(runLaterInHome));
const secretSystem = onFirstUse(() => pathsOf(secretsOfSystem));
const runLaterSystem = onFirstUse(() => pathsOf(runLaterOfSystem));

/** Finds the secret that a path of a home or of the machine holds. */
export function secretAt(path: string, home: string): PlaceFound | null {
  if (/^\/etc\/ssh\/[^/]*_key$/.test(path)) return { place: path, why: 'keys of the machine' };
  return inHomes(path, home, secretHome) ?? above(path, '/', secretSystem);
}

/** Finds the reason why programs run a path of a home or of the machine, or take orders from it. */
export function runLaterAt(path: string, home: string): PlaceFound | null {
  return inHomes(path, home, runLaterHome) ?? above(path, '/', runLaterSystem);
}

/**
 * The reason why programs run a file of this name anywhere; null if none do. `shown` is the path relative to its root.
 */
export function runLaterByName(shown: string): string | null {
  const segments = shown.split(/[/\\]/).map(fold);
  for (const segment of segments) {
    const reason = folders().get(segment);
    if (reason) return reason;
  }
  const name = segments.at(-1) ?? '';
  return files().get(name) ?? endings().find(({ end }) => name.endsWith(end))?.why ?? null;
}

/** True for files that users run on request, such as a Makefile. */
export function runsWhenAsked(path: string): boolean {
  return runsOnRequest.test(fold(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)));
}

export function namesIn(list: PlacesByReason): string[] {
  return list.flatMap(([, names]) => names);
}

/** Normalises a name (NFKC, lower case) and drops the characters that file systems ignore, at its end or anywhere. */
export function fold(name: string): string {
  // Nearly all names look like this. Searches fold the name of every file they find, and the lists are folded too.
  if (/^\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)) return name;
  return name
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/g, '')
    .toLowerCase()
    .replace(/[. ]+$/, (tail) => (tail.length === name.length ? tail : ''));
}

/** Folding the lists takes a start longer than reading its settings, and most calls ask about few of them. */
function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

type NamesOfPlaces = ReadonlyMap<string, string>;

function byName(list: PlacesByReason): NamesOfPlaces {
  const reasons = new Map<string, string>();
  for (const [why, names] of list) for (const name of names) reasons.set(foldPath(name), why);
  return reasons;
}

/** Nearly all paths of the lists have nothing to fold, which is seen at once for all names in them. */
function foldPath(path: string): string {
  const relative = path.startsWith('/') ? path.slice(1) : path;
  const isFolded = /^(?:\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?:\/|$))+$/.test(relative);
  return isFolded ? relative : relative.split('/').map(fold).join('/');
}

interface ListedPaths {
  reasons: NamesOfPlaces;
  /** Folders above the listed paths: a path that leaves these leads to none of them. */
  beginnings: ReadonlySet<string>;
}

function pathsOf(list: PlacesByReason): ListedPaths {
  const reasons = byName(list);
  const beginnings = new Set<string>();
  for (const path of reasons.keys())
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      beginnings.add(path.slice(0, end));
  return { reasons, beginnings };
}

/** Searches the given home, and the usual homes of other users. */
function inHomes(path: string, home: string, list: () => ListedPaths): PlaceFound | null {
  const usual = /^\/(?:root|(?:home|Users)\/[^/]+)(?=\/)/.exec(path)?.[0];
  const homes = [home, ...(usual === undefined || usual === home ? [] : [usual])];
  for (const each of homes) {
    const found = above(path, each, list);
    if (found) return found;
  }
  return null;
}

/**
 * The path itself or the nearest listed folder above it, up to `top`. Listed folders inside a root still count: a
 * user working in `.config` is asked about `.config/git`.
 */
function above(path: string, top: string, list: () => ListedPaths): PlaceFound | null {
  const from = top.endsWith('/') ? top : `${top}/`;
  if (!path.startsWith(from)) return null;
  const { reasons, beginnings } = list();
  let folded = '';
  let found: PlaceFound | null = null;
  for (let start = from.length, end = 0; start <= path.length; start = end + 1) {
    end = path.indexOf('/', start);
    if (end === -1) end = path.length;
    folded += `${folded === '' ? '' : '/'}${fold(path.slice(start, end))}`;
    const why = reasons.get(folded);
    if (why !== undefined) found = { place: path.slice(0, end), why };
    if (!beginnings.has(folded)) break;
  }
  return found;
}

/** Files that tell programs what to run in their folder: a folder with one is a project of its own. */
export const projectFile =
  /^(?:package\.json|.*makefile|.*\.mk|\.?justfile|cmakelists\.txt|cargo\.toml|\.cargo|build\.rs|rust-toolchain(?:\.toml)?|go\.(?:mod|work)|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|conftest\.py|pytest\.ini|manage\.py|pipfile|gemfile|rakefile|pom\.xml|\.mvn|(?:build|settings)\.gradle(?:\.kts)?|gradlew|build\.xml|build\.sbt|composer\.json|deno\.jsonc?|mix\.exs|dune-project|stack\.yaml|.*\.cabal|meson\.build|build\.ninja|workspace(?:\.bazel)?|build\.bazel|\.bazelrc|dockerfile|(?:docker-)?compose\.ya?ml|.*\.tf|ansible\.cfg|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|pnpm-workspace\.yaml|tsconfig.*\.json|angular\.json|nx\.json|turbo\.json|lerna\.json|\.[\w-]+rc(?:\.\w+)?|[\w.-]+\.config\.[cm]?[jt]s(?:on)?|\.git)$/i;

/** True for files that programs in the same folder take orders from, or load by themselves. */
export function isProjectFile(name: string): boolean {
  return projectFile.test(name) || loadedUnasked.test(name);
}

/** Interpreters and package managers load these; agents take instructions from the last. */
const loadedUnasked =
  /^(?:(?:site|user)customize\.py|.*\.pth|\.pnp\.(?:cjs|loader\.mjs)|(?:docker-)?compose\..*\.ya?ml|vagrantfile.*|local\.properties|(?:gulp|grunt|nox|fab|jake|dodo)file\..*|(?:agents|claude|gemini|qwen)(?:\.local)?\.md)$/i;
