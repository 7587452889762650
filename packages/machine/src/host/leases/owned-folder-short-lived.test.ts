import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { makeShortLivedFolder, removeShortLivedFolders } from './owned-folder.js';

let folder: string;
let before: string | undefined;
beforeEach(() => {
  before = process.env['TMPDIR'];
  folder = tempFolder();
  process.env['TMPDIR'] = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
});

it('a short-lived folder is removed when its maker is dead, and not while that number is in use or means nothing here', () => {
  const ours = makeShortLivedFolder();
  const { pid: gone } = spawnSync('true');
  const nameOf = (pid: number) => basename(ours).replace(String(process.pid), String(pid));
  const left = join(folder, nameOf(gone));
  const elsewhere = join(folder, `toolwright-${gone}-1-abc`);
  for (const path of [left, elsewhere]) mkdirSync(path);
  writeFileSync(join(left, 'pipe'), '');
  removeShortLivedFolders();
  expect([left, ours, elsewhere].map((path) => existsSync(path))).toEqual([false, true, true]);
});

const isRoot = process.geteuid?.() === 0;

it.runIf(isRoot)(
  'the folder of a process stays when somebody else owns it: they could lead root elsewhere while it is removed',
  () => {
    const { pid: gone } = spawnSync('true');
    const theirs = join(folder, basename(makeShortLivedFolder()).replace(String(process.pid), String(gone)));
    mkdirSync(theirs);
    chownSync(theirs, 65_534, 65_534);
    removeShortLivedFolders();
    expect(existsSync(theirs)).toBe(true);
  },
);

it('a short-lived folder costs nothing where there is no folder for such things', () => {
  process.env['TMPDIR'] = join(folder, 'missing');
  expect(() => removeShortLivedFolders()).not.toThrow();
});
