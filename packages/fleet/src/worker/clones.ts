import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { openState } from '@toolwright/core';
import { createClock, createIds } from '@toolwright/core/front-end';
import { runGit } from '../results/git.js';
import type { TaskBase } from '../schedule/record.js';
import type { TaskWorkspace } from '../tasks/task.js';

/** A repository that could not be fetched; it may be there later. */
export class CloneError extends Error {
  override readonly name = 'CloneError';
}

const PART_MS = 24 * 3_600_000;
const UNUSED_MS = 30 * 24 * 3_600_000;

/** Shallow clones, one folder for each commit, so that no task sees another one's. */
export function openClones(root: string) {
  const state = openState({ path: join(root, 'locks'), host: { clock: createClock(), ids: createIds() } });
  return {
    /** The folder of a commit: the one of `commit`, or the one that the ref names now. */
    async folderOf(
      { url, ref }: TaskWorkspace & { kind: 'git' },
      commit: string | undefined,
      signal: AbortSignal,
    ): Promise<TaskBase> {
      await mkdir(root, { recursive: true, mode: 0o700 });
      const wanted = commit ?? (await commitOf(url, ref, { cwd: root, signal }));
      const key = createHash('sha256').update(url).digest('hex').slice(0, 16);
      const folder = join(root, key, wanted);
      await state.withLock(
        `clone-${key}-${wanted}`,
        async () => {
          if (await isThere(folder)) return utimes(folder, new Date(), new Date());
          await fetchCommit({ url, commit: wanted, folder }, signal);
        },
        signal,
      );
      return { folder, commit: wanted };
    },
    /** Removes clones that no task has used for a month, and what fetches that were killed left behind. */
    async sweep(now = Date.now()): Promise<void> {
      for (const key of await readdir(root).catch(() => [])) {
        if (key === 'locks') continue;
        for (const name of await readdir(join(root, key)).catch(() => [])) {
          const found = await stat(join(root, key, name)).catch(() => null);
          const longest = name.endsWith('.part') ? PART_MS : UNUSED_MS;
          if (found && now - found.mtimeMs > longest)
            await rm(join(root, key, name), { recursive: true, force: true });
        }
      }
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function commitOf(
  url: string,
  ref: string | undefined,
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<string> {
  if (ref && /^[0-9a-f]{40}$/.test(ref)) return ref;
  const names =
    ref === undefined ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`, ref];
  const { code, stdout, stderr } = await runGit(['ls-remote', '--', url, ...names], { cwd, signal });
  if (code !== 0) throw new CloneError(`${url} can't be reached: ${reasonIn(stderr)}`);
  const found = new Map(stdout.split('\n').map((line) => line.split('\t').reverse() as [string, string]));
  const commit = names.map((name) => found.get(name)).find((each) => each !== undefined);
  if (commit === undefined) throw new CloneError(`${url} has no ${ref ?? 'HEAD'}.`);
  return commit;
}

async function fetchCommit(
  { url, commit, folder }: { url: string; commit: string; folder: string },
  signal: AbortSignal,
): Promise<void> {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  const steps = [
    ['init', '--quiet', '--template='],
    ['fetch', '--quiet', '--depth', '1', '--no-tags', '--no-recurse-submodules', '--', url, commit],
    ['checkout', '--quiet', '--detach', 'FETCH_HEAD'],
  ];
  for (const step of steps) {
    const { code, stderr } = await runGit(step, { cwd: part, signal });
    if (code !== 0) throw new CloneError(`${url} can't be cloned: ${reasonIn(stderr)}`);
  }
  await rename(part, folder);
}

/** The reason that git gives; over ssh it is in the line of ssh, before what git says about that. */
function reasonIn(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const byGit = lines.findIndex((line) => line.startsWith('fatal: '));
  const ofSsh = lines[byGit]?.includes('Could not read from remote') ? lines[byGit - 1] : undefined;
  return ofSsh ?? (lines[byGit] ?? lines.at(-1) ?? 'git gave no reason').replace(/^fatal: /, '');
}
