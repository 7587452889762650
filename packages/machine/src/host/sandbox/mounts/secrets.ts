import { join } from 'node:path';
import { namesIn } from '../../../base/places/places.js';
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
}

/** The usual paths of secrets: of the machine, the user, and others whose homes are visible. They may be missing. */
export function usualSecrets(home: string, { fileSystem, isSeen }: SecretsOptions): string[] {
  const hostKeys = fileSystem.names('/etc/ssh').filter((name) => name.endsWith('_key'));
  const others = foldersOfHomes
    .filter(isSeen)
    .flatMap((folder) => fileSystem.names(folder).map((name) => join(folder, name)));
  const homes = new Set([home, ...others, ...(isSeen('/root') ? ['/root'] : [])]);
  return [...ofSystem, ...hostKeys.map((name) => join('/etc/ssh', name)), ...[...homes].flatMap(secretsIn)];
}

/** Every command needs the same hundred paths. They are only names: nothing is read. */
const ofHomes = new Map<string, readonly string[]>();

function secretsIn(home: string): readonly string[] {
  const known = ofHomes.get(home) ?? inHome.map((name) => join(home, name));
  ofHomes.set(home, known);
  return known;
}

/** True for folders inside one of the roots. */
export function isInAny(roots: readonly string[]): SecretsOptions['isSeen'] {
  return (folder) => roots.some((root) => isInside(folder, root));
}
