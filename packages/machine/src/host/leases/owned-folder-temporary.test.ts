import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { openStateFolder } from '../state/state-folder.js';
import { ownLease } from './lease.js';
import { createTemporaryFolder } from './owned-folder.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

const open = (owner: string) =>
  createTemporaryFolder({ state: openStateFolder(join(base, 'state')), clock: { now: Date.now }, owner });

it('the temporary folder of a session is made with the first question, the same from then on, and removed with what is in it', async () => {
  const folder = open('one');
  expect(existsSync(join(base, 'state'))).toBe(false);
  const path = await folder.path();
  expect(await folder.path()).toBe(path);
  writeFileSync(join(path, 'a'), 'x');
  await folder.remove();
  expect(existsSync(path)).toBe(false);
  await folder.remove();
});

it('the temporary folder of a session is tried again with the next question where it could not be made', async () => {
  const folder = open('one');
  writeFileSync(join(base, 'state'), 'in the way');
  await expect(folder.path()).rejects.toThrow();
  rmSync(join(base, 'state'));
  expect(existsSync(await folder.path())).toBe(true);
  await folder.remove();
});

it('the temporary folder of a session takes away what killed sessions left, of any age, and nothing of those that run', async () => {
  const others = join(base, 'state', 'cache', 'tmp');
  const running = await open('running').path();
  const killed = join(others, 'killed');
  mkdirSync(join(killed, 'tmp'), { recursive: true });
  writeFileSync(
    join(killed, 'owner.json'),
    JSON.stringify({ v: 1, ...(await ownLease()), start: 'long ago' }),
  );
  await open('new').path();
  expect([existsSync(killed), existsSync(running)]).toEqual([false, true]);
});

it('the temporary folder of a session is removed whatever modes a command left there', async () => {
  const folder = open('one');
  const path = await folder.path();
  mkdirSync(join(path, 'a/b'), { recursive: true });
  writeFileSync(join(path, 'a/b/c'), '');
  for (const shut of ['a/b', 'a']) chmodSync(join(path, shut), 0);
  await folder.remove();
  expect(readdirSync(join(base, 'state', 'cache', 'tmp'))).toEqual([]);
});

it('the temporary folder of a session shows a command nothing of ours', async () => {
  expect(readdirSync(await open('one').path())).toEqual([]);
});
