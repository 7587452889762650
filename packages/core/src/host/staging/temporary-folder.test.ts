import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStateFolder } from '../state/state-folder.js';
import { createTemporaryFolder } from './temporary-folder.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'toolwright-tmp-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (owner: string) =>
  createTemporaryFolder({ state: openStateFolder(join(base, 'state')), clock: { now: Date.now }, owner });

it('is made with the first question, the same from then on, and removed with what is in it', async () => {
  const folder = open('one');
  expect(existsSync(join(base, 'state'))).toBe(false);
  const path = await folder.path();
  expect(await folder.path()).toBe(path);
  writeFileSync(join(path, 'a'), 'x');
  await folder.remove();
  expect(existsSync(path)).toBe(false);
  await folder.remove();
});

it('takes away what killed sessions left days ago, and nothing of those that may still run', async () => {
  const others = join(base, 'state', 'cache', 'tmp');
  const recent = await open('recent').path();
  mkdirSync(join(others, 'old'));
  const old = new Date(Date.now() - 4 * 24 * 60 * 60_000);
  utimesSync(join(others, 'old'), old, old);
  await open('new').path();
  expect([existsSync(join(others, 'old')), existsSync(recent)]).toEqual([false, true]);
});
