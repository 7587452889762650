import { readdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import type { Clock } from '../host.js';
import { ownLease } from '../leases/lease.js';
import { createClock, createIds } from '../node-host.js';
import { createLocks } from './locks.js';
import { openStateFolder } from './state-folder.js';

/** A pause that only a wake ends. */
const patient: Clock = {
  now: Date.now,
  sleep: (_ms, until) =>
    new Promise((_resolve, reject) => until?.addEventListener('abort', () => reject(until.reason))),
};

async function heldLock(clock: Clock) {
  const base = tempFolder();
  const locks = createLocks(openStateFolder(base), { clock, ids: createIds() });
  const held = await locks.hold('test', new AbortController().signal);
  if (!('release' in held)) throw new Error('the lock is not free');
  const enter = (signal: AbortSignal): Promise<string> => locks.withLock('test', async () => 'in', signal);
  return { path: join(base, 'locks/test.lock'), held, enter };
}

const { signal } = new AbortController();

it('a caller that leaves at the moment when it is woken wakes the next', async () => {
  const { held, enter } = await heldLock(patient);
  const leaving = new AbortController();
  const first = expect(enter(leaving.signal)).rejects.toBe('no longer');
  const second = enter(signal);
  // Both stand in line once the lock was looked at.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 20));
  held.release();
  leaving.abort('no longer');
  await first;
  expect(await second).toBe('in');
});

it('a wake that another process beats leaves nobody behind, also where the one that was woken gives up', async () => {
  const { path, held, enter } = await heldLock(createClock());
  const other = JSON.stringify({ v: 1, token: 'other', since: 0, ...(await ownLease()) });
  const leaving = new AbortController();
  const first = expect(enter(leaving.signal)).rejects.toBe('no longer');
  const second = enter(signal);
  await new Promise((resolve) => setTimeout(resolve, 20));
  held.release();
  symlinkSync(other, path);
  await new Promise((resolve) => setTimeout(resolve, 5));
  leaving.abort('no longer');
  await first;
  unlinkSync(path);
  expect(await second).toBe('in');
});

it('a lock that counts here alone leaves nothing on the disk, and excludes callers of both kinds', async () => {
  const base = tempFolder();
  const locks = createLocks(openStateFolder(base), { clock: createClock(), ids: createIds() });
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push(`${name} ends ${readdirSync(base, { recursive: true }).join()}`.trimEnd());
  };
  const onlyHere = true;
  await Promise.all([
    locks.withLock('test', work('first'), signal, { onlyHere }),
    locks.withLock('test', work('second'), signal, { onlyHere }),
  ]);
  expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  const held = await locks.hold('test', signal);
  const third = locks.withLock('test', work('third'), signal, { onlyHere });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(order).toHaveLength(4);
  if ('release' in held) held.release();
  await third;
  expect(order[4]).toBe('third begins');
});
