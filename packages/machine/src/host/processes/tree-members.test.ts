import { expect, it } from 'vitest';
import type { ProcessRow } from '../platform/processes/process-table.js';
import { membersOf } from './tree.js';

const row = (pid: number, parent: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: pid,
  session: pid,
  start: String(1_000_000 + pid),
  isGone: false,
  ...more,
});

const root = { pid: 100, start: String(1_000_100) };

function found(rows: ProcessRow[], marked: number[] = [], grouped: number[] = []): number[] {
  const signs = { isMarked: ({ pid }: ProcessRow) => marked.includes(pid), grouped: new Set(grouped) };
  return membersOf(root, rows, signs)
    .map(({ pid }) => pid)
    .sort((first, second) => first - second);
}

const stranger = row(500, 1);

it('membersOf finds children and their children, wherever they stand in the list', () => {
  expect(found([row(102, 101), row(101, 100), row(100, 50), stranger])).toEqual([100, 101, 102]);
});

it('membersOf finds a child with a session of its own, and what runs in that session', () => {
  expect(found([row(100, 50), row(101, 100), row(102, 1, { session: 101 }), stranger])).toEqual([
    100, 101, 102,
  ]);
});

it('membersOf finds what is left of the session and the group when the first process is gone', () => {
  expect(found([row(101, 1, { session: 100 }), row(102, 1, { group: 100 }), stranger])).toEqual([101, 102]);
});

it('membersOf finds a daemon that left everything behind but its environment, and what it started', () => {
  expect(found([row(101, 1), row(102, 101), stranger], [101])).toEqual([101, 102]);
});

it('membersOf finds what the control group names', () => {
  expect(found([row(101, 1), stranger], [], [101])).toEqual([101]);
});

it('membersOf leaves the process alone that was given the same number later, and its session', () => {
  expect(found([row(100, 1, { start: '9000000' }), row(101, 1, { session: 100 }), stranger])).toEqual([]);
});

it('membersOf does not look into what is older than the tree', () => {
  expect(found([row(90, 1, { start: '5' })], [90])).toEqual([]);
});

it('membersOf does not count what has ended, but what it had started', () => {
  expect(found([row(100, 50, { isGone: true }), row(101, 100)])).toEqual([101]);
});

it('membersOf never names this very process', () => {
  expect(found([row(process.pid, 100)], [process.pid])).toEqual([]);
});
