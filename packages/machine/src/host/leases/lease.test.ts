import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import {
  isAbandoned,
  isFromBeforeRestart,
  type Lease,
  lifeOf,
  lifeOfNamed,
  ownLease,
  ownNamedLease,
  readLease,
} from './lease.js';

const deadPid = spawnSync('true').pid;

it.each<[string, (own: Lease) => Lease, string]>([
  ['itself', (own) => own, 'alive'],
  ['a process that has ended', (own) => ({ ...own, pid: deadPid }), 'dead'],
  ['an earlier process with the same number', (own) => ({ ...own, start: '1' }), 'dead'],
  ['a process before a restart', (own) => ({ ...own, boot: 'another' }), 'unknown'],
  ['a process of another container', (own) => ({ ...own, namespace: 'pid:[1]' }), 'unknown'],
])('a process finds %s %s', async (_who, change, life) => {
  expect(await lifeOf(change(await ownLease()))).toBe(life);
});

it.each<[Parameters<typeof isAbandoned>, boolean]>([
  [['alive', 1e12], false],
  [['dead', 0], true],
  [['unknown', 3_600_000], false],
  [['unknown', 86_400_000], true],
  [['unknown', 9_999, 10_000], false],
  [['unknown', 10_000, 10_000], true],
])('an owner of life and silence %j is gone: %s', (given, gone) => {
  expect(isAbandoned(...given)).toBe(gone);
});

it('a lease is read from text and from data, whatever else stands beside it, and from nothing else', async () => {
  const own = await ownLease();
  expect(readLease(JSON.stringify({ v: 1, token: 'x', ...own }))).toMatchObject(own);
  expect(readLease({ v: 1, ...own })).toMatchObject(own);
  for (const broken of ['', '{"pid":', '{"pid":"12"}', '[]', null, undefined, 12])
    expect(readLease(broken)).toBeNull();
});

it('a number in a name is dead when no process here has it, and never surely alive', () => {
  const { namespace } = ownNamedLease();
  expect(lifeOfNamed({ pid: deadPid, namespace })).toBe('dead');
  expect(lifeOfNamed({ pid: deadPid, namespace: '1' })).toBe('unknown');
  expect(lifeOfNamed(ownNamedLease())).toBe('unknown');
});

it('a lease of this host with another boot is from before a restart', async () => {
  const own = await ownLease();
  expect(await isFromBeforeRestart(own)).toBe(false);
  expect(await isFromBeforeRestart({ ...own, boot: own.boot && 'another' })).toBe(own.boot !== null);
  expect(await isFromBeforeRestart({ ...own, boot: 'another', host: 'elsewhere' })).toBe(false);
});
