import { basename, dirname, join } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import type { Host } from '@toolwright/machine/host/host.js';

interface Missing {
  /** Paths that rules keep from the model: their names are not suggested. Undefined where no rules hold. */
  hidden: ((path: string) => boolean) | undefined;
  signal?: AbortSignal;
}

/** Why a path leads to nothing. What lies in a folder that rules hide is told through no link either. */
export async function explainMissing(
  host: Pick<Host, 'files' | 'workspace'>,
  path: string,
  { hidden = () => false, signal }: Missing,
): Promise<string> {
  const shown = host.workspace.show(path);
  const folder = dirname(path);
  const real = await host.files.realPath(path).catch(() => path);
  if (real !== path && hidden(real)) throw new ToolError('denied', `${shown} is hidden by rules.`);
  const folderStat = await host.files.stat(folder).catch(() => null);
  if (folderStat?.kind !== 'directory') {
    const above = folderStat ? 'is not a folder' : 'does not exist either';
    return `${shown} does not exist; ${host.workspace.show(folder)} ${above}. Use glob to look for it.`;
  }
  const entries = await host.files.list(folder, signal);
  const isHidden = (name: string) => hidden(join(folder, name)) || hidden(join(dirname(real), name));
  const names = entries
    .filter(({ name, nameIsUtf8 }) => nameIsUtf8 && !isHidden(name))
    .map(({ name }) => name);
  const near = nearNames(basename(path), names).map((name) => host.workspace.show(join(folder, name)));
  return `${shown} does not exist. ${didYouMean(near) || 'Use glob to look for it.'}`;
}

/** Names that differ only in case or in how a character is composed come before merely similar ones. */
function nearNames(name: string, names: readonly string[]): string[] {
  const fold = (text: string) => text.normalize('NFKC').toLowerCase();
  const same = names.filter((other) => fold(other) === fold(name));
  return same.length > 0 ? same.slice(0, 3) : nearest(name, names);
}
