import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileChange } from '@toolwright/core';
import { runGit } from './git.js';
import { hashBefore, type PortableChanges } from './portable-changes.js';

/** The changes as a patch that `git apply` takes, binary files included; made by git from the files before and after. */
export async function patchOf(changes: PortableChanges, base: string): Promise<string> {
  if (changes.changes.length === 0) return '';
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-patch-'));
  try {
    await mkdir(join(folder, 'a'));
    await mkdir(join(folder, 'b'));
    for (const change of changes.changes) await putVersions(change, { changes, base, folder });
    return await differenceIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Putting {
  changes: PortableChanges;
  base: string;
  folder: string;
}

/** The file before into `a`, the file after into `b`. */
async function putVersions(change: FileChange, { changes, base, folder }: Putting): Promise<void> {
  const [before, after] = [join(folder, 'a', change.path), join(folder, 'b', change.path)];
  if (change.kind === 'mode') {
    if (change.hash === null) return;
    const bytes = await readFile(join(base, change.path));
    await put(before, bytes, change.before);
    return put(after, bytes, change.after);
  }
  if ('before' in change && change.before) {
    if ('target' in change.before) await link(before, change.before.target);
    else await put(before, await bytesBefore(change, { changes, base }), change.before.mode);
  }
  if (change.kind === 'symlink') return link(after, change.target);
  if ('after' in change)
    await put(after, Buffer.from(changes.blobs[change.after.hash] ?? '', 'base64'), change.after.mode);
}

/** The folder itself may have changed since the task began. */
async function bytesBefore(
  change: FileChange,
  { changes, base }: Pick<Putting, 'changes' | 'base'>,
): Promise<Buffer> {
  const known = changes.bases?.[hashBefore(change) ?? ''];
  return known === undefined ? readFile(join(base, change.path)) : Buffer.from(known, 'base64');
}

const plain = ['--no-index', '--no-prefix', '--binary', '--no-ext-diff', '--no-textconv', '--no-color'];

async function differenceIn(folder: string): Promise<string> {
  const { stdout } = await runGit(['diff', ...plain, 'a', 'b'], {
    cwd: folder,
    environment: {
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CEILING_DIRECTORIES: tmpdir(),
    },
  });
  return stdout;
}

async function put(path: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  // git knows only whether a file can be executed.
  await chmod(path, mode & 0o111 ? 0o755 : 0o644);
}

async function link(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}
