import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Names in a folder; none where there is no folder. */
export async function namesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

export function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** True when the file was there and is now elsewhere; false when somebody else was first. */
export async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export async function tryRemove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error;
  });
}

/** Whole or not at all, also for readers; flushed before it has its name. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);
  const handle = await open(temporary, 'wx', 0o600).catch(async (error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error;
    await makeParent(path);
    return open(temporary, 'wx', 0o600);
  });
  try {
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}

export function isTemporary(name: string): boolean {
  return /^\.[0-9a-f]+\.tmp$/.test(name);
}

const LEFT_BEHIND_MS = 3_600_000;

/** Removes files that were never given their name, because their writers were killed. */
export async function removeTemporaries(folder: string): Promise<void> {
  for (const name of (await namesOf(folder)).filter(isTemporary)) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await tryRemove(join(folder, name));
  }
}

export async function makeParent(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}

/** A key as a file name: letters, digits, `.`, `_` and `-` stay, the rest is written in hex. */
export function fileNameOf(key: string): string {
  return key.replace(/[^A-Za-z0-9._-]|^\./g, (character) => `%${Buffer.from(character).toString('hex')}`);
}

export function keyOfFileName(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/g, (text) =>
    Buffer.from(text.replaceAll('%', ''), 'hex').toString(),
  );
}
