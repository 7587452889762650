import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  open,
  realpath,
  rename,
  rmdir,
  stat,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { makeFolder } from './state-folder.js';

/**
 * Puts a file of our own in place whole: after a crash there is the old content or the new, never a mixture. A link at
 * the path stays a link; an existing file keeps its owner and mode, and where that takes overwriting it (it belongs to
 * someone else, or is a mount point) a crash may leave a mixture. Workspace files go through `host/files`.
 */
export async function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const target = await realpath(path).catch((error: unknown) => {
    if (isNodeError(error, 'ENOENT')) return path;
    throw error;
  });
  const folder = dirname(target);
  await makeFolder(folder);
  const existing = await stat(target).catch(() => null);
  try {
    await writeBeside(target, content, { existing, mode });
  } catch (error) {
    if (!existing?.isFile() || !isNodeError(error, 'EPERM', 'EACCES', 'EBUSY', 'EINVAL')) throw error;
    await writeFile(target, content, { flag: 'r+', flush: true });
    await truncate(target, Buffer.byteLength(content));
  }
  await syncFolder(folder);
}

async function writeBeside(
  target: string,
  content: string | Uint8Array,
  { existing, mode }: { existing: Stats | null; mode: number },
): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
    try {
      if (existing) await keepOwnerAndMode(handle, existing);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function keepOwnerAndMode(handle: FileHandle, existing: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid !== existing.uid || gid !== existing.gid) await handle.chown(existing.uid, existing.gid);
  await handle.chmod(existing.mode & 0o777);
}

/** Takes a file of our own away; that there is none is fine. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isNodeError(error, 'ENOENT')) throw error;
  });
}

/** Takes a folder of our own away where nothing is in it. */
export async function removeEmptyFolder(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    if (!isNodeError(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
  });
}

/** Makes the new name itself survive a power cut, where the platform can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
