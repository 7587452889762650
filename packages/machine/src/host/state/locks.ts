import { createHash } from 'node:crypto';
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { lstat, lutimes, readdir, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isNodeError, messageOf, SettingsError, ToolError } from '../../base/errors.js';
import { withController } from '../deadline.js';
import type { Host } from '../host.js';
import { isAbandoned, type Lease, type Life, lifeOf, ownLease, readLease } from '../leases/lease.js';
import { createHeldHere, type HeldHere } from './held-here.js';
import { type StateFolder, troubleIn } from './state-folder.js';

export interface LockOptions {
  /** Longest wait for another owner before giving up. */
  limitMs?: number;
  /** True for what no other process can reach: nothing is written to the disk. */
  onlyHere?: boolean;
}

export interface Locks {
  /** Runs `fn` while no other process, and no other caller here, runs under the same name. Not re-entrant. */
  withLock<Result>(
    name: string,
    fn: () => Promise<Result>,
    signal: AbortSignal,
    options?: LockOptions,
  ): Promise<Result>;
  /**
   * Takes the lock and keeps it until it is released. An owner that lives is not waited for: the answer says who
   * that is.
   */
  hold(name: string, signal: AbortSignal): Promise<Hold | HeldElsewhere>;
  /** Tells who holds the lock, without taking it; null when nobody does, or the owner is gone. */
  owner(name: string): Promise<HeldElsewhere | null>;
}

export interface Hold {
  release(): void;
}

/** A lock of someone else, in words: `process 12 on host since 2030-01-01T00:00:00.000Z`. */
export interface HeldElsewhere {
  heldBy: string;
}

interface LockOwner extends Lease {
  v: 1;
  token: string;
  since: number;
}

const DEFAULT_LIMIT_MS = 30_000;
const HEARTBEAT_MS = 2_000;
/** An owner we can't look at counts as gone when it has not shown a sign of life for this long while we watched. */
const SILENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 100;

/**
 * A lock is a symbolic link whose target text says who owns it: made and filled in one step, so no one ever
 * sees a lock without its owner, and a crash leaves nothing half-written.
 */
export function createLocks(
  folder: Pick<StateFolder, 'make' | 'pathOf'>,
  host: Pick<Host, 'clock' | 'ids'>,
): Locks {
  const here = createHeldHere();
  const take = (name: string, wait: LockWait, onlyHere = false): Promise<Hold> =>
    takeLock(name, wait, { folder, host, here, onlyHere });
  return {
    async withLock(name, fn, signal, { limitMs = DEFAULT_LIMIT_MS, onlyHere } = {}) {
      signal.throwIfAborted();
      const wait = createWait({ ...host, here }, signal, { limitMs, forLiving: true });
      const held = await take(name, wait, onlyHere);
      try {
        return await fn();
      } finally {
        held.release();
      }
    },
    async hold(name, signal) {
      signal.throwIfAborted();
      try {
        return await take(
          name,
          createWait({ ...host, here }, signal, { limitMs: DEFAULT_LIMIT_MS, forLiving: false }),
        );
      } catch (error) {
        if (error instanceof LockBusy) return { heldBy: error.heldBy };
        throw error;
      }
    },
    async owner(name) {
      const found = await readLock(folder.pathOf('locks', `${name}.lock`));
      if (found === null) return null;
      const silentMs = Date.now() - found.touchedMs;
      return isAbandoned(await lifeOfOwner(found.text), silentMs, SILENCE_MS)
        ? null
        : { heldBy: describeOwner(found.text) };
    },
  };
}

interface TakeNeeds {
  folder: Pick<StateFolder, 'make' | 'pathOf'>;
  host: Pick<Host, 'clock' | 'ids'>;
  here: HeldHere;
  onlyHere: boolean;
}

async function takeLock(name: string, wait: LockWait, needs: TakeNeeds): Promise<Hold> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) throw new Error(`not a name for a lock: ${name}`);
  const { folder, host, here, onlyHere } = needs;
  const path = onlyHere
    ? folder.pathOf('locks', `${name}.lock`)
    : join(await folder.make('locks'), `${name}.lock`);
  const owner: LockOwner = {
    v: 1,
    token: `${process.pid}-${host.ids.next()}`,
    since: host.clock.now(),
    ...(await ownLease()),
  };
  const mine = JSON.stringify(owner);
  await acquire(path, mine, { wait, here, onlyHere });
  if (onlyHere) return { release: () => here.letGo(path) };
  const heartbeat = setInterval(() => void keepAlive(path, owner.token), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release() {
      clearInterval(heartbeat);
      try {
        release(path, owner.token);
      } finally {
        here.letGo(path);
      }
    },
  };
}

/** Pauses between attempts. Counts the time slept, not the clock, so that a suspended machine expires nothing. */
interface LockWait {
  slept(): number;
  pause(path: string, owner: { text: string; isAlive: boolean }): Promise<void>;
  /** Pauses while this process holds the lock itself. */
  untilLetGo(path: string): Promise<void>;
}

interface LockLimit {
  limitMs: number;
  /** False: an owner that is known to live is not waited for at all. */
  forLiving: boolean;
}

function createWait(
  { clock, ids, here }: Pick<Host, 'clock' | 'ids'> & { here: HeldHere },
  signal: AbortSignal,
  { limitMs, forLiving }: LockLimit,
): LockWait {
  let slept = 0;
  let attempts = 0;
  const requirePatience = (path: string, { text, isAlive }: { text: string; isAlive: boolean }): void => {
    signal.throwIfAborted();
    if (slept >= limitMs || (isAlive && !forLiving)) throw new LockBusy(path, text, limitMs);
  };
  return {
    slept: () => slept,
    async untilLetGo(path) {
      requirePatience(path, { text: here.ownerOf(path) ?? '', isAlive: true });
      const from = clock.now();
      let isWoken = false;
      await withController(signal, async (controller) => {
        const waiting = here.whenLetGo(path, () => {
          isWoken = true;
          controller.abort('the lock was let go');
        });
        await clock.sleep(LONGEST_PAUSE_MS, controller.signal).catch(() => undefined);
        waiting.forget();
      });
      if (signal.aborted && isWoken) here.passOn(path);
      signal.throwIfAborted();
      slept += isWoken ? Math.min(LONGEST_PAUSE_MS, Math.max(0, clock.now() - from)) : LONGEST_PAUSE_MS;
    },
    async pause(path, owner) {
      requirePatience(path, owner);
      const longest = Math.min(LONGEST_PAUSE_MS, 2 ** Math.min(attempts++, 10));
      const ms = Math.ceil(longest * (0.5 + ids.random() / 2));
      await clock.sleep(ms, signal);
      signal.throwIfAborted();
      slept += ms;
    },
  };
}

interface LockNeeds {
  wait: LockWait;
  here: HeldHere;
  onlyHere?: boolean;
}

/** Whoever acquires a lock tells `here` when it lets go. */
async function acquire(path: string, mine: string, { wait, here, onlyHere }: LockNeeds): Promise<void> {
  let watched: { sign: string; since: number } | undefined;
  for (;;) {
    if (here.ownerOf(path) !== undefined) {
      await wait.untilLetGo(path);
      continue;
    }
    if (onlyHere || tryCreate(path, mine)) break;
    const found = await readLock(path);
    if (found === null) {
      // The owner has just let go. The pause has a limit, for folders that go on telling so.
      await wait.pause(path, { text: '', isAlive: false });
      continue;
    }
    if (watched?.sign !== found.sign) watched = { sign: found.sign, since: wait.slept() };
    const life = await lifeOfOwner(found.text);
    if (isAbandoned(life, wait.slept() - watched.since, SILENCE_MS)) {
      if (await takeOver(path, { abandoned: found.text, mine, wait, here })) break;
    } else {
      await wait.pause(path, { text: found.text, isAlive: life === 'alive' });
    }
  }
  here.taken(path, mine);
}

function tryCreate(path: string, mine: string): boolean {
  try {
    // Synchronous, as the release: nearly every lock is free, and asking takes less time than waking a thread.
    symlinkSync(mine, path);
    return true;
  } catch (error) {
    if (isNodeError(error, 'EEXIST')) return false;
    if (isNodeError(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'))
      throw troubleIn(dirname(dirname(path)), error);
    throw new SettingsError(
      `The lock ${path} can't be made: ${messageOf(error)}. The state folder must be on a file system with symbolic links; set TOOLWRIGHT_HOME to choose another.`,
    );
  }
}

async function readLock(path: string): Promise<{ text: string; sign: string; touchedMs: number } | null> {
  try {
    const text = await readlink(path);
    const { mtimeMs } = await lstat(path);
    return { text, sign: `${mtimeMs} ${text}`, touchedMs: mtimeMs };
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return null;
    if (isNodeError(error, 'EINVAL'))
      throw new SettingsError(`${path} is in the way: it is not one of our locks. Remove it.`);
    throw error;
  }
}

async function lifeOfOwner(ownerText: string): Promise<Life> {
  const owner = parseOwner(ownerText);
  return owner ? lifeOf(owner) : 'unknown';
}

/**
 * Replaces the lock of an owner that is gone. The right to do so is itself a lock, named after the token of
 * that owner: whoever holds it finds the abandoned lock still in place, or knows that another was faster.
 */
async function takeOver(
  path: string,
  { abandoned, mine, wait, here }: LockNeeds & { abandoned: string; mine: string },
): Promise<boolean> {
  const claim = `${path}.${claimName(abandoned)}`;
  await acquire(claim, mine, { wait, here });
  try {
    if ((await readLock(path))?.text !== abandoned) return false;
    const candidate = `${claim}.new`;
    await unlink(candidate).catch(ignoreMissing);
    await symlink(mine, candidate);
    await rename(candidate, path);
    await removeOldClaims(path, claim);
    return true;
  } finally {
    await unlink(claim)
      .catch(ignoreMissing)
      .finally(() => here.letGo(claim));
  }
}

/** Claims on earlier owners bind nobody any more; a crash may have left some. */
async function removeOldClaims(path: string, current: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if (!name.startsWith(`${basename(path)}.`) || other.startsWith(current)) continue;
    await unlink(other).catch(ignoreMissing);
  }
}

function claimName(ownerText: string): string {
  return createHash('sha256').update(ownerText).digest('hex').slice(0, 24);
}

async function keepAlive(path: string, token: string): Promise<void> {
  const now = Date.now() / 1000;
  if (await isOwnedBy(path, token)) await lutimes(path, now, now).catch(() => undefined);
}

function release(path: string, token: string): void {
  try {
    if (parseOwner(readlinkSync(path))?.token === token) unlinkSync(path);
  } catch (error) {
    // Someone who took it for abandoned was faster; what is there by now is theirs.
    if (!isNodeError(error, 'ENOENT', 'EINVAL')) throw error;
  }
}

async function isOwnedBy(path: string, token: string): Promise<boolean> {
  const text = await readlink(path).catch(() => '');
  return parseOwner(text)?.token === token;
}

function parseOwner(text: string): LockOwner | null {
  const owner = readLease(text) as Partial<LockOwner> | null;
  return typeof owner?.token === 'string' ? (owner as LockOwner) : null;
}

function describeOwner(text: string): string {
  const owner = parseOwner(text);
  return owner
    ? `process ${owner.pid} on ${owner.host} since ${new Date(owner.since).toISOString()}`
    : 'an unknown owner';
}

function ignoreMissing(error: unknown): void {
  if (!isNodeError(error, 'ENOENT')) throw error;
}

class LockBusy extends ToolError {
  readonly heldBy: string;

  constructor(path: string, ownerText: string, limitMs: number) {
    const heldBy = describeOwner(ownerText);
    super(
      'timeout',
      `Waited ${limitMs / 1000} s for the lock "${basename(path, '.lock')}", which is held by ${heldBy}. Wait for that process or end it; if it no longer exists, remove ${path}.`,
    );
    this.heldBy = heldBy;
  }
}
