import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { RememberedFiles } from '@toolwright/machine/host/plain-files/remembered-files.js';
import { realFileSystem } from '@toolwright/machine/host/sandbox/mounts/file-system.js';
import { afterLinks, isInside } from '@toolwright/machine/host/workspace.js';
import type { Permission } from './permission.js';

export interface HiddenPathsParts {
  host: Pick<Host, 'ripgrep' | 'workspace'>;
  permission: Pick<Permission, 'unreadable' | 'refusal' | 'refusalUnasked' | 'secretPlaces'>;
  /** Remembers what is denied, so that it is known again; `spread`: other names and copies may have been made. */
  denied?: DeniedFiles;
  /** How many files can be hidden one by one; 5000 unless told. */
  most?: number;
}

export interface DeniedFiles extends Pick<RememberedFiles, 'remember'> {
  spread: boolean;
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
 * What is to be kept from a command that reads whatever it likes: every path that a rule denies, and every one that is
 * secret or that a rule asks about, unless the command names it, because then it was asked about.
 */
export async function hiddenPaths(
  { host, permission, denied, most = MOST_HIDDEN }: HiddenPathsParts,
  named: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const { places, patterns } = permission.unreadable;
  const asked = named.filter((path) => permission.refusalUnasked('read', path) !== null);
  const isHidden = (path: string): boolean =>
    permission.refusalUnasked('read', path) !== null &&
    (permission.refusal('read', path) !== null || !asked.some((each) => isInside(path, each)));
  const secrets = permission.secretPlaces().filter((path) => !asked.some((each) => isInside(path, each)));
  const found = new Set([...secrets, ...places.map(afterLinks).filter(isHidden)]);
  if (patterns || denied?.spread) {
    for (const { path: root } of host.workspace.roots) {
      await everyFile(host.ripgrep, root, signal, (path) => {
        if (isHidden(path)) found.add(path);
        return found.size <= most;
      });
      if (found.size > most) throw tooMany(most);
    }
  }
  if (denied) await rememberAll({ host, permission, denied }, [...found], signal);
  return [...found];
}

/** Before a command could give a denied file another name. */
async function rememberAll(
  { host, permission, denied }: HiddenPathsParts & { denied: DeniedFiles },
  hidden: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const files: string[] = [];
  for (const path of hidden.filter((each) => permission.refusal('read', each) !== null)) {
    files.push(path);
    if (realFileSystem.kindOf(path) !== 'folder') continue;
    const most = files.length + MOST_HIDDEN;
    await everyFile(host.ripgrep, path, signal, (file) => files.push(file) < most);
  }
  for (const [index, path] of files.entries()) {
    // Each file is read at once, and signals are heard between two turns only.
    if (index % FILES_PER_TURN === 0) await nextTurn();
    signal.throwIfAborted();
    denied.remember(path);
  }
}

async function everyFile(
  ripgrep: HiddenPathsParts['host']['ripgrep'],
  folder: string,
  signal: AbortSignal,
  onRecord: (path: string) => boolean,
): Promise<void> {
  const args = ['--files', '--null', '--hidden', '--no-ignore', '--no-messages', '--', folder];
  await ripgrep.run({ args, directory: folder, signal, separator: 'nul', onRecord });
}
