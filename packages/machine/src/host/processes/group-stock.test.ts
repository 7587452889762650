import { expect, it } from 'vitest';
import { createClock } from '../node-host.js';
import type { BoundedGroup, BoundedGroups } from '../platform/processes/linux-process-groups.js';
import { createGroupStock } from './group-stock.js';

interface Made extends BoundedGroup {
  name: string;
  state: { pids: number[]; exceeded: boolean; removed: boolean };
}

/** Groups in memory: what is in the kernel's can't be chosen. */
function groupsInMemory(): BoundedGroups & { made: Made[] } {
  const made: Made[] = [];
  return {
    version: 1,
    boundsMemory: true,
    made,
    pathsOf: () => [],
    sweep: () => undefined,
    make(name) {
      const state = { pids: [] as number[], exceeded: false, removed: false };
      const group: Made = {
        name,
        state,
        joinPaths: [],
        memory: { wasExceeded: () => state.exceeded, peakBytes: () => 0 },
        pids: () => state.pids,
        kill: () => undefined,
        remove: () => state.pids.length === 0 && (state.removed = true),
      };
      made.push(group);
      return group;
    },
  };
}

const bounds = { processes: 10, memory: 1_000 };

it('a group that is empty again serves the next command of the same bounds, and is removed at the end', async () => {
  const [groups, stock] = [groupsInMemory(), createGroupStock({ clock: createClock() })];
  const first = stock.take(groups, 'one', bounds)!;
  await stock.giveBack(first, bounds);
  expect(stock.take(groups, 'two', bounds)).toBe(first);
  await stock.giveBack(first, bounds);
  expect(stock.take(groups, 'three', { ...bounds, processes: 20 })).not.toBe(first);
  stock.close();
  expect(groups.made.map(({ state }) => state.removed)).toEqual([true, false]);
});

it('commands that run side by side have a group each', () => {
  const [groups, stock] = [groupsInMemory(), createGroupStock({ clock: createClock() })];
  expect(stock.take(groups, 'one', bounds)).not.toBe(stock.take(groups, 'two', bounds));
});

it('a group in which something lives, or that met its memory limit, serves nobody else', async () => {
  const [groups, stock] = [groupsInMemory(), createGroupStock({ clock: createClock() })];
  const [full, exceeded] = [stock.take(groups, 'one', bounds)!, stock.take(groups, 'two', bounds)!];
  groups.made[0]!.state.pids = [1];
  groups.made[1]!.state.exceeded = true;
  const given = stock.giveBack(full, bounds);
  groups.made[0]!.state.pids = [];
  await Promise.all([given, stock.giveBack(exceeded, bounds)]);
  expect(groups.made.map(({ state }) => state.removed)).toEqual([true, true]);
  expect(stock.take(groups, 'three', bounds)).toBe(groups.made[2]);
});

it('a group that comes back after the end is removed', async () => {
  const [groups, stock] = [groupsInMemory(), createGroupStock({ clock: createClock() })];
  const group = stock.take(groups, 'one', bounds)!;
  stock.close();
  await stock.giveBack(group, bounds);
  expect(groups.made[0]!.state.removed).toBe(true);
});
