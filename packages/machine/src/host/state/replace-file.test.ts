import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { replaceFile } from './replace-file.js';

const isRoot = process.getuid?.() === 0;
let folder = '';
const undo: (() => void)[] = [];

beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => {
  for (const act of undo.splice(0)) act();
});

test('a file that is replaced keeps its mode', async () => {
  const path = join(folder, 'settings.json');
  writeFileSync(path, 'a long old content');
  chmodSync(path, 0o664);
  await replaceFile(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o664);
  expect(readdirSync(folder)).toEqual(['settings.json']);
});

test.runIf(isRoot)('a file of another user stays theirs', async () => {
  const path = join(folder, 'settings.json');
  writeFileSync(path, 'old');
  chownSync(path, 65_534, 65_534);
  await replaceFile(path, 'new');
  expect(statSync(path)).toMatchObject({ uid: 65_534, gid: 65_534 });
});

test.runIf(isRoot)('a file that is a mount point is overwritten', async () => {
  const [path, source] = [join(folder, 'settings.json'), join(folder, 'source.json')];
  writeFileSync(path, '');
  writeFileSync(source, 'a long old content');
  try {
    execFileSync('mount', ['--bind', source, path], { stdio: 'pipe' });
  } catch {
    console.log('not tested: nothing can be mounted here');
    return;
  }
  undo.push(() => execFileSync('umount', [path]));
  await replaceFile(path, 'new');
  expect(readFileSync(source, 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['settings.json', 'source.json']);
});
