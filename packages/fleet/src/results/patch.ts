import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runGit } from './git.js';
import type { PortableChanges } from './portable-changes.js';

/** The changes as a patch that `git apply` takes, binary files included; made by git from the files before and after. */
export async function patchOf(changes: PortableChanges, base: string): Promise<string> {
  if (changes.changes.length === 0) return '';
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-patch-'));
  try {
    for (const change of changes.changes) {
      const before = join(folder, 'a', change.path);
      const after = join(folder, 'b', change.path);
      if (change.kind === 'mode') {
        if (change.hash === null) continue;
        const bytes = await readFile(join(base, change.path));
        await put(before, bytes, change.before);
        await put(after, bytes, change.after);
        continue;
      }
      if ('before' in change && change.before) {
        if ('target' in change.before) await link(before, change.before.target);
        else await put(before, await readFile(join(base, change.path)), change.before.mode);
      }
      if (change.kind === 'symlink') await link(after, change.target);
      else if ('after' in change)
        await put(after, Buffer.from(changes.blobs[change.after.hash] ?? '', 'base64'), change.after.mode);
    }
    await mkdir(join(folder, 'a'), { recursive: true });
    await mkdir(join(folder, 'b'), { recursive: true });
    const args = [
      'diff',
      '--no-index',
      '--no-prefix',
      '--binary',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      'a',
      'b',
    ];
    const { stdout } = await runGit(args, {
      cwd: folder,
      environment: {
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CEILING_DIRECTORIES: tmpdir(),
      },
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
