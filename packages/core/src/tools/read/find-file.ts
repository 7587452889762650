import { ToolError } from '@toolwright/machine/base/errors.js';
import type { FileStat } from '@toolwright/machine/host/files/files.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { explainMissing } from '../search/explain-missing.js';
import type { IsHidden } from '../search/place.js';

type Doors = Pick<Host, 'files' | 'workspace'>;

interface Looking {
  /** Paths that rules keep from the model: their names are not suggested. Undefined where no rules hold. */
  hidden: IsHidden | undefined;
  signal: AbortSignal;
}

/** The file at an absolute path; whatever else is there, or nothing, is an error that says what to try. */
export async function findFile(host: Doors, path: string, looking: Looking): Promise<FileStat> {
  const shown = host.workspace.show(path);
  const stat = await host.files.stat(path);
  if (!stat) throw new ToolError('not_found', await explainMissing(host, path, looking));
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
