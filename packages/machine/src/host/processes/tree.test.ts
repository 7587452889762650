import { expect, it } from 'vitest';
import type { BoundedGroup } from '../platform/processes/linux-process-groups.js';
import type { ProcessRow, ProcessTable } from '../platform/processes/process-table.js';
import { livingOf, type Tree } from './tree.js';

const row = (pid: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  start: '1',
  isGone: false,
  ...more,
});

function treeOf(all: readonly ProcessRow[], grouped: readonly number[] | null) {
  let lists = 0;
  const table: ProcessTable = {
    rows: async () => {
      lists++;
      return [...all];
    },
    rowOf: async (pid) => all.find((each) => each.pid === pid) ?? null,
    carries: () => false,
    commandOf: async () => '',
    memoryOf: () => null,
    portsOf: () => null,
  };
  const group: BoundedGroup | null = grouped && {
    joinPaths: [],
    memory: null,
    pids: () => [...grouped],
    kill: () => undefined,
    remove: () => true,
  };
  const tree: Tree = { root: { pid: 10, start: '1' }, mark: { text: 'm', digits: '1' }, table, group };
  return { tree, lists: () => lists };
}

it('livingOf asks the control group alone for a quick look', async () => {
  const { tree, lists } = treeOf([row(10, { isGone: true }), row(11), row(99)], [10, 11, 12]);
  expect((await livingOf(tree, { quick: true })).map(({ pid }) => pid)).toEqual([11]);
  expect(lists()).toBe(0);
});

it('livingOf takes a group for empty when only entries of ended processes are left in it', async () => {
  const { tree, lists } = treeOf([row(10, { isGone: true })], [10]);
  expect(await livingOf(tree, { quick: true })).toEqual([]);
  expect(lists()).toBe(0);
});

it('livingOf lists all processes for a thorough look, and where there is no group', async () => {
  const child = row(11, { parent: 10 });
  const thorough = treeOf([row(10), child], [10]);
  expect((await livingOf(thorough.tree)).map(({ pid }) => pid)).toEqual([10, 11]);
  const groupless = treeOf([row(10), child], null);
  expect((await livingOf(groupless.tree, { quick: true })).map(({ pid }) => pid)).toEqual([10, 11]);
});
