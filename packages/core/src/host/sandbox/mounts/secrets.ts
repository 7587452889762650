import { join } from 'node:path';
import { namesIn } from '../../../base/places/places.js';
import { secretsInHome, secretsOfSystem } from '../../../base/places/secret-places.js';
import { isInside } from '../../workspace.js';
import type { Look } from './look.js';

const ofSystem = namesIn(secretsOfSystem);
const inHome = namesIn(secretsInHome);
const foldersOfHomes = ['/home', '/Users'];

interface Seeing {
  look: Pick<Look, 'names'>;
  /** Whether a folder lies in one that is worked in. */
  isSeen(folder: string): boolean;
}

/** Where secrets usually lie: of the machine, of the person, and of others whose homes are seen. They may be missing. */
export function usualSecrets(home: string, { look, isSeen }: Seeing): string[] {
  const hostKeys = look.names('/etc/ssh').filter((name) => name.endsWith('_key'));
  const others = foldersOfHomes
    .filter(isSeen)
    .flatMap((folder) => look.names(folder).map((name) => join(folder, name)));
  const homes = new Set([home, ...others, ...(isSeen('/root') ? ['/root'] : [])]);
  return [
    ...ofSystem,
    ...hostKeys.map((name) => join('/etc/ssh', name)),
    ...[...homes].flatMap((each) => inHome.map((name) => join(each, name))),
  ];
}

/** The same within folders that are worked in. */
export function isInAny(roots: readonly string[]): Seeing['isSeen'] {
  return (folder) => roots.some((root) => isInside(folder, root));
}
