import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeShortLivedFolder, removeShortLivedFolders } from './short-lived-folder.js';

let folder: string;
let before: string | undefined;
beforeEach(() => {
  before = process.env['TMPDIR'];
  folder = mkdtempSync(join(tmpdir(), 'short-lived-'));
  process.env['TMPDIR'] = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(folder, { recursive: true, force: true });
});

it('is removed when its maker is dead, and not while that number is in use', () => {
  const { pid: gone } = spawnSync('true');
  const left = join(folder, `toolwright-${gone}-abc`);
  mkdirSync(left);
  writeFileSync(join(left, 'pipe'), '');
  const ours = makeShortLivedFolder();
  removeShortLivedFolders(gone);
  removeShortLivedFolders(process.pid);
  expect([existsSync(left), existsSync(ours)]).toEqual([false, true]);
});

it('costs nothing where there is no folder for such things', () => {
  process.env['TMPDIR'] = join(folder, 'missing');
  expect(() => removeShortLivedFolders(spawnSync('true').pid)).not.toThrow();
});
