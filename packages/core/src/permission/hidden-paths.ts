import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { here, type Place } from '@toolwright/machine/host/plain-files/place.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/regular-file.js';
import type { EveryFile } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { fileSystemIn } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { Permission } from './permission.js';

export interface HiddenPathsNeeds {
  roots: readonly { path: string }[];
  /** Tells every file below a folder, hidden and ignored ones too, until `onFile` gives false. */
  everyFile: EveryFile;
  permission: Pick<Permission, 'unreadable' | 'refusal' | 'refusalWithoutAsking' | 'secretPlaces'>;
  denied?: DeniedFiles;
  /** Leads to the roots; default: every file at its own path. */
  place?: Place;
  /** Limit of files that can be hidden one by one; default: 5000. */
  most?: number;
}

/** Remembers the files that rules deny, to know them again under another name. */
export interface DeniedFiles extends Pick<RememberedFiles, 'remember'> {
  /** Other names and copies of denied files may have been made. */
  mayHaveCopies: boolean;
}

const MOST_HIDDEN = 5_000;
const FILES_PER_TURN = 32;

function tooMany(most: number): ToolError {
  return new ToolError(
    'denied',
    `The rules keep more than ${most} files from commands, more than can be hidden one by one, so no command runs. ` +
      'The user has to name the folders they lie in: Read(folder/**).',
  );
}

/**
 * Paths that are kept from a command, which reads whatever it likes: every path that a rule denies, and every one that is
 * secret or that a rule asks about, unless the command names it, because then it was asked about.
 */
export async function hiddenPaths(
  needs: HiddenPathsNeeds,
  named: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const { roots, everyFile, permission, denied, place = here, most = MOST_HIDDEN } = needs;
  const { places, patterns } = permission.unreadable;
  const asked = named.filter((path) => permission.refusalWithoutAsking('read', path) !== null);
  const isHidden = (path: string): boolean =>
    permission.refusalWithoutAsking('read', path) !== null &&
    (permission.refusal('read', path) !== null || !asked.some((each) => isInside(path, each)));
  const secrets = permission.secretPlaces().filter((path) => !asked.some((each) => isInside(path, each)));
  const found = new Set([...secrets, ...places.map(place.afterLinks).filter(isHidden)]);
  if (patterns || denied?.mayHaveCopies) {
    for (const { path: root } of roots) {
      await everyFile(root, signal, (path) => {
        if (isHidden(path)) found.add(path);
        return found.size <= most;
      });
      if (found.size > most) throw tooMany(most);
    }
  }
  if (denied) await rememberAll({ ...needs, denied }, [...found], signal);
  return [...found];
}

/** Remembers every denied file before a command could give it another name. */
async function rememberAll(
  { everyFile, permission, denied, place = here }: HiddenPathsNeeds & { denied: DeniedFiles },
  hidden: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const files: string[] = [];
  const { kindOf } = fileSystemIn(place);
  for (const path of hidden.filter((each) => permission.refusal('read', each) !== null)) {
    files.push(path);
    if (kindOf(path) !== 'folder') continue;
    const most = files.length + MOST_HIDDEN;
    await everyFile(path, signal, (file) => files.push(file) < most);
  }
  for (const [index, path] of files.entries()) {
    // Each file is read at once, and signals are heard between two turns only.
    if (index % FILES_PER_TURN === 0) await nextTurn();
    signal.throwIfAborted();
    denied.remember(path);
  }
}
