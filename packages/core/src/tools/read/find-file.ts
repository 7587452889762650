import { basename, dirname, join } from 'node:path';
import { ToolError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';

type Doors = Pick<Host, 'files' | 'workspace'>;

/** The file at an absolute path; whatever else is there, or nothing, is an error that says what to try. */
export async function findFile(
  { files, workspace }: Doors,
  path: string,
  signal: AbortSignal,
): Promise<FileStat> {
  const shown = workspace.show(path);
  const stat = await files.stat(path);
  if (!stat) throw new ToolError('not_found', await explainMissing({ files, workspace }, path, signal));
  if (stat.kind === 'directory') {
    throw new ToolError(
      'invalid_params',
      `${shown} is a folder. Use list_directory to see what is in it, or read_many_files to read its files.`,
    );
  }
  if (stat.kind !== 'file') {
    throw new ToolError(
      'failed',
      `${shown} is a device, pipe or socket, not a regular file; it was not opened.`,
    );
  }
  return stat;
}

async function explainMissing(
  { files, workspace }: Doors,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const shown = workspace.show(path);
  const folder = dirname(path);
  const folderStat = await files.stat(folder).catch(() => null);
  if (folderStat?.kind !== 'directory') {
    const above = folderStat
      ? `${workspace.show(folder)} is not a folder`
      : `the folder ${workspace.show(folder)} does not exist either`;
    return `${shown} does not exist; ${above}. Use glob with **/${basename(path)} to look for it.`;
  }
  const names = (await files.list(folder, signal))
    .filter((entry) => entry.nameIsUtf8)
    .map((entry) => entry.name);
  const near = nearNames(basename(path), names).map((name) => workspace.show(join(folder, name)));
  if (near.length === 0) return `${shown} does not exist. Use glob with **/${basename(path)} to look for it.`;
  return `${shown} does not exist. Did you mean ${near.join(' or ')}?`;
}

/** Names that differ only in case or in how a character is composed come before merely similar ones. */
function nearNames(name: string, names: readonly string[]): string[] {
  const fold = (text: string) => text.normalize('NFKC').toLowerCase();
  const same = names.filter((other) => fold(other) === fold(name));
  return same.length > 0 ? same.slice(0, 3) : nearest(name, names);
}
