import { lutimesSync } from 'node:fs';
import { mkdir, readdir, readlink, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import type { Clock } from '../host.js';
import { ownLease } from '../leases/lease.js';
import { createClock, createIds } from '../node-host.js';
import { createLocks } from './locks.js';
import { openStateFolder } from './state-folder.js';

let base: string;
let path: string;
beforeEach(async () => {
  base = tempFolder();
  path = join(base, 'locks/test.lock');
  await mkdir(join(base, 'locks'));
});

const { signal } = new AbortController();
const ids = createIds();
const NO_PROCESS = 2 ** 22 + 1;

function locksWith(clock: Clock = createClock()) {
  return createLocks(openStateFolder(base), { clock, ids });
}

/** Sleeps at once; `onSleep` sees each pause. */
function hastyClock(onSleep: (ms: number) => void = () => {}): Clock & { slept: number } {
  const clock = {
    slept: 0,
    now: () => Date.UTC(2030, 0, 1),
    async sleep(ms: number) {
      clock.slept += ms;
      onSleep(ms);
    },
  };
  return clock;
}

async function ownedBy(changes: object, file = path): Promise<void> {
  const owner = {
    v: 1,
    token: `t-${file}`,
    since: Date.UTC(2030, 0, 1),
    ...(await ownLease()),
    ...changes,
  };
  await symlink(JSON.stringify(owner), file);
}

describe('a lock', () => {
  it('lets one caller in at a time and is gone afterwards', async () => {
    const locks = locksWith();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 8 }, () =>
        locks.withLock(
          'test',
          async () => {
            most = Math.max(most, ++inside);
            await new Promise((resolve) => setTimeout(resolve, 1));
            inside--;
          },
          signal,
        ),
      ),
    );
    expect(most).toBe(1);
    expect(await readdir(join(base, 'locks'))).toEqual([]);
  });

  it('wakes those who wait for it in the same process one by one, without another look at the file', async () => {
    const clock: Clock = {
      now: Date.now,
      sleep: (_ms, until) =>
        new Promise((_resolve, reject) => until?.addEventListener('abort', () => reject(until.reason))),
    };
    const locks = locksWith(clock);
    const leaving = new AbortController();
    const entered: number[] = [];
    const enter = (caller: number, wish = signal): Promise<unknown> =>
      locks.withLock('test', async () => entered.push(caller), wish);
    const held = await locks.hold('test', signal);
    const calls = [enter(1), enter(2, leaving.signal), enter(3), enter(4)];
    const left = expect(calls[1]).rejects.toBe('no longer');
    leaving.abort('no longer');
    await left;
    if ('release' in held) held.release();
    await Promise.all([calls[0], calls[2], calls[3]]);
    expect(entered).toEqual([1, 3, 4]);
  });

  it('gives the result, passes on a failure, and is free again after both', async () => {
    const locks = locksWith();
    expect(await locks.withLock('test', async () => 7, signal)).toBe(7);
    await expect(locks.withLock('test', () => Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(await locks.withLock('test', async () => 8, signal)).toBe(8);
  });

  it('says who holds it when the limit is reached', async () => {
    await ownedBy({});
    const waiting = locksWith(hastyClock()).withLock('test', async () => 1, signal, { limitMs: 2_000 });
    await expect(waiting).rejects.toMatchObject({ name: 'ToolError', code: 'timeout' });
    await expect(waiting).rejects.toThrow(
      new RegExp(
        `Waited 2 s for the lock "test", which is held by process ${process.pid} on \\S+ since 2030-01-01T00:00:00.000Z\\. .*remove ${path}`,
      ),
    );
  });

  it('stops waiting when the signal fires', async () => {
    await ownedBy({});
    const controller = new AbortController();
    const waiting = locksWith().withLock('test', async () => 1, controller.signal);
    controller.abort({ kind: 'user' });
    await expect(waiting).rejects.toEqual({ kind: 'user' });
    await expect(locksWith().withLock('test', async () => 1, controller.signal)).rejects.toEqual({
      kind: 'user',
    });
  });

  it('refuses a name that is not a plain file name', async () => {
    await expect(locksWith().withLock('../x', async () => 1, signal)).rejects.toThrow(
      /not a name for a lock/,
    );
  });

  it('names a file that is in its way', async () => {
    await writeFile(path, '');
    await expect(locksWith().withLock('test', async () => 1, signal)).rejects.toThrow(
      /is in the way.*Remove it/,
    );
  });
});

describe('a lock that is held', () => {
  it('keeps others out at once, and says who has it', async () => {
    const clock = hastyClock();
    const held = await locksWith().hold('test', signal);
    expect(await locksWith(clock).hold('test', signal)).toEqual({
      heldBy: expect.stringMatching(new RegExp(`^process ${process.pid} on \\S+ since \\d{4}-`)),
    });
    expect(clock.slept).toBe(0);
    if ('release' in held) held.release();
    expect(await locksWith().hold('test', signal)).toHaveProperty('release');
  });

  it('tells its owner without being taken, and none once that has ended', async () => {
    const locks = locksWith();
    expect(await locks.owner('test')).toBeNull();
    await ownedBy({});
    expect(await locks.owner('test')).toEqual({
      heldBy: expect.stringContaining(`process ${process.pid} on `),
    });
    await unlink(path);
    await ownedBy({ pid: NO_PROCESS });
    expect(await locks.owner('test')).toBeNull();
    await unlink(path);
    await ownedBy({ boot: 'another', host: 'another' });
    expect(await locks.owner('test')).toEqual({ heldBy: expect.stringContaining('on another since') });
    lutimesSync(path, 0, 0);
    expect(await locks.owner('test')).toBeNull();
  });

  it('is taken over at once from an owner that ended', async () => {
    await ownedBy({ pid: NO_PROCESS });
    const clock = hastyClock();
    expect(await locksWith(clock).hold('test', signal)).toHaveProperty('release');
    expect(clock.slept).toBe(0);
  });

  it('is taken over from an owner we can not look at once that shows no sign of life', async () => {
    await ownedBy({ boot: 'another' });
    const clock = hastyClock();
    expect(await locksWith(clock).hold('test', signal)).toHaveProperty('release');
    expect(clock.slept).toBeGreaterThanOrEqual(10_000);
  });
});

describe('the lock of an owner that is gone', () => {
  it.each([
    ['ended', { pid: NO_PROCESS }],
    ['ended, and its number was given to another process', { start: '1' }],
  ])('that %s is taken over at once', async (_name, changes) => {
    await ownedBy(changes);
    const clock = hastyClock();
    const inside = await locksWith(clock).withLock('test', () => readlink(path), signal);
    expect(JSON.parse(inside)).toMatchObject({ pid: process.pid, since: Date.UTC(2030, 0, 1) });
    expect(clock.slept).toBe(0);
    expect(await readdir(join(base, 'locks'))).toEqual([]);
  });

  it('is taken over by one at a time, however many try at once', async () => {
    let inside = 0;
    let most = 0;
    for (let round = 0; round < 60; round++) {
      await ownedBy({ pid: NO_PROCESS, token: `dead-${round}` });
      const contenders = Array.from({ length: 6 }, () =>
        locksWith().withLock(
          'test',
          async () => {
            most = Math.max(most, ++inside);
            await readdir(base);
            inside--;
          },
          signal,
        ),
      );
      await Promise.all(contenders);
    }
    expect(most).toBe(1);
    expect(await readdir(join(base, 'locks'))).toEqual([]);
  });

  it('is taken over although an earlier attempt to do so crashed too', async () => {
    await ownedBy({ pid: NO_PROCESS, token: 'first' });
    const crashed = locksWith(hastyClock());
    const claim = `${path}.${await claimOf(path)}`;
    await ownedBy({ pid: NO_PROCESS, token: 'second' }, claim);
    await ownedBy({ pid: NO_PROCESS, token: 'third' }, `${claim}.${await claimOf(claim)}`);
    await symlink('left over', `${claim}.new`);
    await symlink('left over', `${path}.0123456789abcdef01234567`);
    expect(await crashed.withLock('test', async () => 'mine', signal)).toBe('mine');
    expect(await readdir(join(base, 'locks'))).toEqual([]);
  });

  it.each([
    ['from before a restart', { boot: 'another' }],
    ['in another container', { namespace: 'pid:[1]' }],
    ['on another machine', { host: 'elsewhere', boot: 'another' }],
  ])('%s is taken over after ten seconds without a sign of life', async (_name, changes) => {
    await ownedBy(changes);
    const clock = hastyClock();
    expect(await locksWith(clock).withLock('test', async () => 'mine', signal)).toBe('mine');
    expect(clock.slept).toBeGreaterThanOrEqual(10_000);
    expect(clock.slept).toBeLessThan(11_000);
  });

  it('that we can not look at is left alone while it shows signs of life', async () => {
    await ownedBy({ host: 'elsewhere', boot: 'another' });
    let beats = 0;
    const clock = hastyClock(() => {
      lutimesSync(path, ++beats, beats);
    });
    await expect(locksWith(clock).withLock('test', async () => 1, signal)).rejects.toThrow(/Waited 30 s/);
    expect(JSON.parse(await readlink(path))).toMatchObject({ host: 'elsewhere' });
  });

  it('without a readable owner counts as one we can not look at', async () => {
    await symlink('nonsense', path);
    const clock = hastyClock();
    expect(await locksWith(clock).withLock('test', async () => 'mine', signal)).toBe('mine');
    expect(clock.slept).toBeGreaterThanOrEqual(10_000);
  });
});

async function claimOf(file: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256')
    .update(await readlink(file))
    .digest('hex')
    .slice(0, 24);
}
