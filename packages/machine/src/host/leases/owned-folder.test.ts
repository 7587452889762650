import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { ownLease } from '../leases/lease.js';
import { isEmptyFolder, makeOwnedFolder, sweepOwnedFolders } from './owned-folder.js';

let directory: string;
beforeEach(() => {
  directory = tempFolder();
});

it('an owned folder is at no moment there without its owner, so that a kill leaves nothing that is nobody’s', async () => {
  const path = join(directory, 'run');
  let isMade = false;
  const making = makeOwnedFolder(directory, 'run').finally(() => {
    isMade = true;
  });
  while (!isMade) {
    expect(existsSync(path)).toBe(existsSync(join(path, 'owner.json')));
    await nextTurn();
  }
  expect((await making).path).toBe(path);
});

it('an owned folder is swept once its process is dead, and kept while it lives or may live', async () => {
  await makeOwnedFolder(directory, 'living');
  const dead = { v: 1, ...(await ownLease()), start: 'long ago' };
  for (const [name, owner] of Object.entries({ dead, unknown: null })) {
    mkdirSync(join(directory, name));
    if (owner) writeFileSync(join(directory, name, 'owner.json'), JSON.stringify(owner));
  }
  expect(await sweepOwnedFolders(directory, { now: Date.now() })).toBe(1);
  expect(readdirSync(directory).sort()).toEqual(['living', 'unknown']);
  expect(await sweepOwnedFolders(directory, { now: Date.now() + 25 * 3_600_000 })).toBe(1);
  expect(readdirSync(directory)).toEqual(['living']);
});

it('an owned folder is swept when whoever began to make or to remove it is gone', async () => {
  const { pid: gone } = spawnSync('true');
  mkdirSync(join(directory, `run.of-${gone}`));
  mkdirSync(join(directory, `other.of-${process.pid}`));
  expect(await sweepOwnedFolders(directory, { now: Date.now() })).toBe(1);
  expect(readdirSync(directory)).toEqual([`other.of-${process.pid}`]);
});

it('an owned folder is swept with a limit of time when there are thousands, and signals are heard meanwhile', async () => {
  const { pid: gone } = spawnSync('true');
  for (let i = 0; i < 300; i += 1) mkdirSync(join(directory, `run-${i}.of-${gone}`));
  const unfinished = await sweepOwnedFolders(directory, { now: Date.now(), limitMs: 5 });
  expect(readdirSync(directory).length).toBe(300 - unfinished);
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  }, 0);
  const rest = await sweepOwnedFolders(directory, { now: Date.now(), limitMs: 60_000 });
  clearInterval(count);
  expect([unfinished + rest, readdirSync(directory)]).toEqual([300, []]);
  expect(turns).toBeGreaterThan(0);
});

it('a folder that can’t be listed is a problem that is told, and one that is not there is empty', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const problems: unknown[] = [];
  const sweep = { now: Date.now(), onProblem: (error: unknown) => problems.push(error) };
  expect(await sweepOwnedFolders(join(directory, 'missing'), sweep)).toBe(0);
  expect(problems).toEqual([]);
  expect(await sweepOwnedFolders(file, sweep)).toBe(0);
  expect(problems).toEqual([expect.objectContaining({ code: 'ENOTDIR' })]);
  expect([isEmptyFolder(join(directory, 'missing')), isEmptyFolder(file)]).toEqual([true, false]);
});

it('an owned folder says whose it is to the last moment while it is removed', async () => {
  const folder = await makeOwnedFolder(directory, 'run');
  mkdirSync(join(folder.path, 'upper-0'));
  for (let i = 0; i < 500; i += 1) writeFileSync(join(folder.path, 'upper-0', `${i}`), '');
  let isRemoved = false;
  const removing = folder.remove().finally(() => {
    isRemoved = true;
  });
  while (!isRemoved) {
    for (const name of readdirSync(directory)) {
      expect(name.endsWith(`.of-${process.pid}`) || existsSync(join(directory, name, 'owner.json'))).toBe(
        true,
      );
    }
    await nextTurn();
  }
  await removing;
  expect(readdirSync(directory)).toEqual([]);
});
