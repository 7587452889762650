import { basename, delimiter, dirname, isAbsolute, join, normalize } from 'node:path';
import { isInside } from '../../workspace.js';
import type { FileSystem } from './file-system.js';
import { isInAny } from './secrets.js';
import { gitSettings, homeToolchains, toolchainVariables } from './usual-places.js';

interface ToolchainSources {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

const besidePrograms = ['lib', 'lib64', 'libexec', 'include'];
const MOST_LINKS = 500;

/**
 * Files and folders outside the system that programs need: the folders of PATH, and where people install toolchains.
 */
export function toolchainPlaces({ home, environment }: ToolchainSources, fileSystem: FileSystem): string[] {
  const fromVariables = toolchainVariables.map((name) => environment[name] ?? '');
  const fromPath = (environment['PATH'] ?? '').split(delimiter);
  // A folder that contains the home would show all of it.
  const named = [...fromVariables, ...fromPath.flatMap(withLibraries)]
    .filter((place) => isAbsolute(place))
    .map(trimmed)
    .filter((place) => !isInside(home, place));
  const usual = homeToolchains.map((name) => join(home, name));
  const present = [...new Set([...usual, ...named])].filter((place) => fileSystem.kindOf(place) !== null);
  const programs = fromPath.map(trimmed).filter((folder) => isInside(folder, home) && folder !== home);
  const leadingElsewhere = programs.flatMap((folder) => linkTargets(folder, fileSystem));
  const git = gitSettings.map((name) => join(home, name)).filter((path) => isHarmless(path, fileSystem));
  // Several programs of a folder are often links to the same file.
  return [...new Set([...present, ...leadingElsewhere, ...git])];
}

function trimmed(path: string): string {
  return normalize(path).replace(/(.)\/+$/, '$1');
}

function withLibraries(folder: string): string[] {
  const place = trimmed(folder);
  if (basename(place) !== 'bin') return [folder];
  return [folder, ...besidePrograms.map((name) => join(dirname(place), name))];
}

/** The targets of programs that are links into a folder of versions. */
function linkTargets(folder: string, fileSystem: FileSystem): string[] {
  return fileSystem
    .links(folder)
    .slice(0, MOST_LINKS)
    .map((name) => fileSystem.realPath(join(folder, name)))
    .filter((path) => path !== null && fileSystem.kindOf(path) === 'file') as string[];
}

const passwordLike = /:\/\/[^/\s]*:[^/\s]*@|extraheader|token|password|secret/i;

function isHarmless(path: string, fileSystem: FileSystem): boolean {
  const text = fileSystem.kindOf(path) === null ? null : fileSystem.text(path);
  return text !== null && !passwordLike.test(text);
}

const REMEMBERED_MS = 10_000;

/**
 * The same without what lies in places that are shown anyway, repeated only after a while: users rarely install a
 * toolchain between two commands.
 */
export function rememberToolchains(
  fileSystem: FileSystem,
  shownAnyway: readonly string[] = [],
): (places: ToolchainSources) => readonly string[] {
  const isShown = isInAny(shownAnyway);
  const findPlaces = (sources: ToolchainSources): string[] =>
    toolchainPlaces(sources, fileSystem).filter(
      (place) => !isShown(place) || fileSystem.realPath(place) !== place,
    );
  let last: { key: string; until: number; places: readonly string[] } | undefined;
  return ({ home, environment }) => {
    const key = JSON.stringify([
      home,
      environment['PATH'],
      ...toolchainVariables.map((name) => environment[name]),
    ]);
    const now = performance.now();
    if (last?.key !== key || now > last.until)
      last = { key, until: now + REMEMBERED_MS, places: findPlaces({ home, environment }) };
    return last.places;
  };
}
