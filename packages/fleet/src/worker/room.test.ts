import type { CpuInfo } from 'node:os';
import { createClock } from '@toolwright/core/front-end';
import { expect, test } from 'vitest';
import { openRoom, watchCores, watchRoom } from './room.js';

const MB = 1024 ** 2;

function machine(reading: { free?: number; own?: number | null; busy?: number }) {
  return {
    cores: 2,
    freeBytes: async () => (reading.free ?? 100_000) * MB,
    ownBytes: async () => (reading.own === null ? null : (reading.own ?? 100) * MB),
    busyShare: () => reading.busy ?? 0,
  };
}

test('a further task needs as much free memory as the hungriest seen here, a first one nothing', async () => {
  const reading = { free: 10, own: 100 };
  const room = openRoom(machine(reading));
  await room.look(0);
  expect(await room.enter(0)).toBeNull();
  // No task was measured yet.
  expect(await room.enter(1)).toMatch(/\(64 MB\)\.$/);
  // The first has taken none of what it will need.
  reading.free = 127;
  expect(await room.enter(1)).toMatch(/\(64 MB\)\.$/);
  reading.free = 128;
  expect(await room.enter(1)).toBeNull();
  reading.own = 1_100;
  await room.look(2);
  reading.free = 499;
  expect(await room.enter(2)).toBe(
    'No further task is taken while less memory is free than one has needed here (500 MB).',
  );
  reading.free = 500;
  expect(await room.enter(2)).toBeNull();
  // The last one waits for a task, and will need what is free.
  expect(await room.enter(2)).not.toBeNull();
  reading.own = 200;
  await room.look(3);
  reading.free = 499;
  expect(await room.enter(3)).toMatch(/500 MB/);
  for (let left = 0; left < 3; left++) room.leave();
  reading.free = 0;
  expect(await room.enter(0)).toBeNull();
});

test('of two slots that ask in the same moment one is the first', async () => {
  const room = openRoom(machine({ free: 0 }));
  expect((await Promise.all([room.enter(0), room.enter(0)])).filter((why) => why === null)).toHaveLength(1);
});

test('every core gets a task; further ones come while the cores are not all busy', async () => {
  const reading = { busy: 1 };
  const room = openRoom(machine(reading));
  await room.look(0);
  expect([await room.enter(0), await room.enter(1)]).toEqual([null, null]);
  await room.look(2);
  expect(await room.enter(2)).toBe('No further task is taken while all cores are busy (2).');
  reading.busy = 0.5;
  await room.look(2);
  expect(await room.enter(2)).toBeNull();
});

test('where the memory of processes can not be seen, a task counts as one that was not seen yet', async () => {
  const reading = { own: null, free: 65 };
  const room = openRoom(machine(reading));
  await room.look(1);
  expect([await room.enter(0), await room.enter(1)]).toEqual([null, null]);
});

test('busy cores are counted between two looks', () => {
  const times = { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 };
  const share = watchCores(() => [{ times: { ...times } } as CpuInfo]);
  expect(share()).toBe(0);
  times.user += 300;
  times.idle += 100;
  expect(share()).toBe(0.75);
  times.idle += 100;
  expect(share()).toBe(0);
});

test('a worker without tasks looks once, and no more until it has one', async () => {
  const running = new Map<string, null>();
  const looks: number[] = [];
  const room = { ...openRoom(machine({})), look: async (present: number) => void looks.push(present) };
  const over = new AbortController();
  let ticks = 0;
  const clock = {
    ...createClock(),
    async sleep() {
      ticks += 1;
      if (ticks === 3) running.set('a', null);
      if (ticks === 5) running.clear();
      if (ticks === 8) over.abort();
    },
  };
  await watchRoom(room, running, { clock, signal: over.signal });
  expect(looks).toEqual([0, 1, 1, 0]);
});
