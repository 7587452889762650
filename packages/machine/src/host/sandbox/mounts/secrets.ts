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
  /** Leaves out what the lists of names in a home show to be missing: two looks in place of a hundred. */
  onlyPresent?: boolean;
}

/** The usual paths of secrets: of the machine, the user, and others whose homes are visible. They may be missing. */
export function usualSecrets(home: string, { fileSystem, isSeen, onlyPresent }: SecretsOptions): string[] {
  const hostKeys = fileSystem.names('/etc/ssh').filter((name) => name.endsWith('_key'));
  const others = foldersOfHomes
    .filter(isSeen)
    .flatMap((folder) => fileSystem.names(folder).map((name) => join(folder, name)));
  const homes = new Set([home, ...others, ...(isSeen('/root') ? ['/root'] : [])]);
  const inHomes = (folder: string) =>
    onlyPresent ? present(inHome, { home: folder, names: fileSystem.names }) : secretsIn(folder);
  return [...ofSystem, ...hostKeys.map((name) => join('/etc/ssh', name)), ...[...homes].flatMap(inHomes)];
}

/** Every command needs the same hundred paths. They are only names: nothing is read. */
const ofHomes = new Map<string, readonly string[]>();

function secretsIn(home: string): readonly string[] {
  const known = ofHomes.get(home) ?? inHome.map((name) => join(home, name));
  ofHomes.set(home, known);
  return known;
}

/** Fewer than this are looked at one by one, which takes no longer than a list of names. */
const FEW = 8;

/** The names below a home that may exist: a listing of their folder does not show them to be missing. */
function present(
  wanted: readonly string[],
  { home, below = '', names }: { home: string; below?: string; names: (folder: string) => readonly string[] },
): string[] {
  const listed = wanted.length < FEW ? [] : names(join(home, below));
  // A folder that can't be listed may hold any of them.
  if (listed.length === 0) return wanted.map((name) => join(home, name));
  const groups = groupsIn(below, wanted);
  return listed.flatMap((name) => {
    const group = groups.get(fold(name)) ?? [];
    return group.length === 0 ? [] : present(group, { home, below: join(below, name), names });
  });
}

const groupsOfFolders = new Map<string, Map<string, string[]>>();

/** The names by their next part, because that is what a folder lists. */
function groupsIn(below: string, wanted: readonly string[]): Map<string, string[]> {
  const known = groupsOfFolders.get(below);
  if (known !== undefined) return known;
  const groups = new Map<string, string[]>();
  const depth = below === '' ? 0 : below.split('/').length;
  for (const name of wanted) {
    const part = fold(name.split('/')[depth] ?? name);
    groups.set(part, [...(groups.get(part) ?? []), name]);
  }
  groupsOfFolders.set(below, groups);
  return groups;
}

/** True for folders inside one of the roots. */
export function isInAny(roots: readonly string[]): SecretsOptions['isSeen'] {
  return (folder) => roots.some((root) => isInside(folder, root));
}
