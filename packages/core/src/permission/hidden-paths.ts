import { ToolError } from '../base/errors.js';
import type { Host } from '../host/host.js';
import { afterLinks, isInside } from '../host/workspace.js';
import type { Permission } from './permission.js';

export interface HiddenPathsParts {
  host: Pick<Host, 'ripgrep' | 'workspace'>;
  permission: Pick<Permission, 'unreadable' | 'refusal' | 'refusalUnasked' | 'secretPlaces'>;
  /** How many files can be hidden one by one; 5000 unless told. */
  most?: number;
}

const MOST_HIDDEN = 5_000;

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
  { host, permission, most = MOST_HIDDEN }: HiddenPathsParts,
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
  if (!patterns) return [...found];
  for (const { path: root } of host.workspace.roots) {
    await host.ripgrep.run({
      args: ['--files', '--null', '--hidden', '--no-ignore', '--no-messages', '--', root],
      directory: root,
      signal,
      separator: 'nul',
      onRecord(path) {
        if (isHidden(path)) found.add(path);
        return found.size <= most;
      },
    });
    if (found.size > most) throw tooMany(most);
  }
  return [...found];
}
