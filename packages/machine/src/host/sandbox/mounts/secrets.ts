import { join } from 'node:path';
import { fold, namesIn } from '../../../base/places/places.js';
import { secretsInHome, secretsOfSystem } from '../../../base/places/secret-places.js';
import { isInside } from '../../workspace.js';
import type { FileSystem } from './file-system.js';

const ofSystem = namesIn(secretsOfSystem);
const inHome = namesIn(secretsInHome);
const foldersOfHomes = ['/home', '/Users'];

interface SecretsOptions {
  fileSystem: Pick<FileSystem, 'names'>;
  /** True if a folder lies in a visible one. */
  isSeen(folder: string): boolean;
  /** Leaves out what a look at the names in a home shows to be missing: one look in place of a hundred. */
  present?: boolean;
}

/** The usual paths of secrets: of the machine, the user, and others whose homes are visible. They may be missing. */
export function usualSecrets(home: string, { fileSystem, isSeen, present }: SecretsOptions): string[] {
  const hostKeys = fileSystem.names('/etc/ssh').filter((name) => name.endsWith('_key'));
  const others = foldersOfHomes
    .filter(isSeen)
    .flatMap((folder) => fileSystem.names(folder).map((name) => join(folder, name)));
  const homes = new Set([home, ...others, ...(isSeen('/root') ? ['/root'] : [])]);
  const inHomes = (folder: string) =>
    present ? secretsAmong(folder, fileSystem.names(folder)) : secretsIn(folder);
  return [...ofSystem, ...hostKeys.map((name) => join('/etc/ssh', name)), ...[...homes].flatMap(inHomes)];
}

/** Every command needs the same hundred paths. They are only names: nothing is read. */
const ofHomes = new Map<string, readonly string[]>();

function secretsIn(home: string): readonly string[] {
  const known = ofHomes.get(home) ?? inHome.map((name) => join(home, name));
  ofHomes.set(home, known);
  return known;
}

/** The names by their first part, because that is what a folder lists. */
let byFirstPart: Map<string, string[]> | undefined;

function namesByFirstPart(): Map<string, string[]> {
  if (byFirstPart !== undefined) return byFirstPart;
  byFirstPart = new Map();
  for (const name of inHome) {
    const first = fold(name.split('/', 1)[0] ?? name);
    byFirstPart.set(first, [...(byFirstPart.get(first) ?? []), name]);
  }
  return byFirstPart;
}

function secretsAmong(home: string, names: readonly string[]): readonly string[] {
  // A home that can't be listed may hold any of them.
  if (names.length === 0) return secretsIn(home);
  const known = namesByFirstPart();
  return names.flatMap((name) => (known.get(fold(name)) ?? []).map((each) => join(home, each)));
}

/** True for folders inside one of the roots. */
export function isInAny(roots: readonly string[]): SecretsOptions['isSeen'] {
  return (folder) => roots.some((root) => isInside(folder, root));
}
