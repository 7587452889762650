import { relative } from 'node:path';
import { fromOutput, placeArguments, type SearchHost } from './place.js';
import { prepareWalk } from './prepare-walk.js';

export interface FileListing {
  signal: AbortSignal;
  /** Called with each path as the workspace shows it, while the walk goes on; false to stop. */
  onFile(path: string): boolean | undefined;
}

const MAX_BYTES = 128 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Every file of the folders that may be written, less what ignore files name, in no particular order. */
export async function listWorkspaceFiles(host: SearchHost, { signal, onFile }: FileListing): Promise<void> {
  const { workspace } = host;
  let goesOn = true;
  for (const { path: root } of workspace.roots.filter(({ access }) => access === 'write')) {
    if (!goesOn) return;
    const place = { path: root, root, kind: 'directory' as const, isIgnored: false };
    const walk = await prepareWalk(host, { place, includeIgnored: false }, signal);
    const isFirst = root === workspace.directory;
    await host.ripgrep.run({
      args: [...walk.args, '--files', '--null', ...placeArguments(place)],
      directory: root,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      separator: 'nul',
      onRecord(record) {
        if (walk.isIgnored(record)) return true;
        const path = fromOutput(place, record);
        goesOn = onFile(isFirst ? relative(root, path) : path) !== false;
        return goesOn;
      },
    });
  }
}
