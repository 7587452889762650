import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isNodeError } from '../../base/errors.js';
import { isAbandoned, type Lease, lifeOf, ownLease, readLease } from '../leases/lease.js';
import { makePrivateFolder, namesIn } from './folder.js';

export interface Pins {
  /** Written before it returns, so that an eviction that looks afterwards sees it. */
  add(hashes: Iterable<string>): Promise<void>;
  /** A folder for unfinished copies, removed when the process is found dead. */
  scratch(): Promise<string>;
  /** Every hash pinned by a living process; what dead ones left is removed on the way. */
  live(now: number): Promise<Set<string>>;
  close(): Promise<void>;
}

const SCRATCH = '.scratch';
const HASH = /^[0-9a-f]{64}$/;

/**
 * One file for each owner and process: the process in the first line, then the hashes it needs. It is only
 * ever appended to, so readers in other processes see whole lines.
 */
export function createPins(directory: string, owner: string): Pins {
  const known = new Set<string>();
  let file: Promise<string> | undefined;

  async function begin(): Promise<string> {
    await makePrivateFolder(directory);
    const path = join(directory, `${owner}.${randomUUID()}`);
    const mark = { v: 1, ...(await ownLease()) };
    await writeFile(path, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
    return path;
  }

  function begun(): Promise<string> {
    return (file ??= begin().catch((error: unknown) => {
      file = undefined;
      throw error;
    }));
  }

  return {
    async add(hashes) {
      const added = [...new Set(hashes)].filter((hash) => !known.has(hash));
      if (added.length === 0) return;
      try {
        await append(await begun(), added);
      } catch (error) {
        // Someone cleared the folder away: what is needed is pinned anew.
        if (!isNodeError(error, 'ENOENT')) throw error;
        file = undefined;
        await append(await begun(), [...known, ...added]);
      }
      for (const hash of added) known.add(hash);
    },
    async scratch() {
      const folder = (await begun()) + SCRATCH;
      await makePrivateFolder(folder);
      return folder;
    },
    live: (now) => livePins(directory, now),
    async close() {
      if (file) await removePins(await file);
      file = undefined;
      known.clear();
    },
  };
}

/** Never makes the file: without its first line it would pin nothing. */
async function append(path: string, hashes: readonly string[]): Promise<void> {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeFileSync(descriptor, hashes.map((hash) => `${hash}\n`).join(''));
  } finally {
    closeSync(descriptor);
  }
}

async function removePins(path: string): Promise<void> {
  await rm(path + SCRATCH, { recursive: true, force: true });
  await rm(path, { force: true });
}

async function livePins(directory: string, now: number): Promise<Set<string>> {
  const pinned = new Set<string>();
  for (const name of await namesIn(directory)) {
    if (name.endsWith(SCRATCH)) continue;
    const path = join(directory, name);
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    const owner = readLease(lines[0]);
    // A file without its first line is being begun at this moment: nothing is pinned in it yet.
    if (owner === null) continue;
    if (await isLive(owner, path, now)) {
      for (const line of lines) if (HASH.test(line)) pinned.add(line);
    } else await removePins(path);
  }
  return pinned;
}

async function isLive(owner: Lease, path: string, now: number): Promise<boolean> {
  const written = (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  return !isAbandoned(await lifeOf(owner), now - written);
}
