import {
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { rememberFiles } from './regular-file.js';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
  mkdirSync(join(folder, 'keys'));
  writeFileSync(at('keys/a'), 'KEY=swordfish\n');
});

const at = (path: string): string => join(folder, path);

it.each<[string, string, () => void]>([
  ['renamed', 'other', () => renameSync(at('keys/a'), at('other'))],
  ['in a renamed folder', 'k2/a', () => renameSync(at('keys'), at('k2'))],
  ['linked', 'other', () => linkSync(at('keys/a'), at('other'))],
  ['copied', 'other', () => copyFileSync(at('keys/a'), at('other'))],
  [
    'copied, with an old time',
    'other',
    () => {
      copyFileSync(at('keys/a'), at('other'));
      utimesSync(at('other'), 1, 1);
    },
  ],
])('a file that was %s is known again', (_, path, act) => {
  const files = rememberFiles(Date.now());
  files.remember(at('keys/a'));
  act();
  expect(files.originalOf(at(path))).toBe(at('keys/a'));
});

it('the memory of files knows a copy by its original, also once the copy itself was remembered', () => {
  const files = rememberFiles(Date.now());
  files.remember(at('keys/a'));
  copyFileSync(at('keys/a'), at('copy'));
  files.remember(at('copy'));
  renameSync(at('copy'), at('again'));
  expect(files.originalOf(at('again'))).toBe(at('keys/a'));
});

it('the memory of files takes what was there before for itself, even if it holds the same', () => {
  copyFileSync(at('keys/a'), at('twin'));
  const files = rememberFiles(Date.now() + 60_000);
  files.remember(at('keys/a'));
  expect(files.originalOf(at('twin'))).toBeNull();
});

it('the memory of files knows no file again that holds something else or nothing, is a link, or is missing', () => {
  const files = rememberFiles(Date.now());
  expect([files.isEmpty, files.originalOf(at('keys/a'))]).toEqual([true, null]);
  writeFileSync(at('keys/empty'), '');
  for (const name of ['keys/a', 'keys/empty', 'keys', 'missing']) files.remember(at(name));
  writeFileSync(at('same-length'), 'KEY=swordfist\n');
  writeFileSync(at('empty'), '');
  symlinkSync('keys/a', at('link'));
  for (const name of ['same-length', 'empty', 'link', 'missing', 'keys'])
    expect([name, files.originalOf(at(name))]).toEqual([name, null]);
  expect(files.isEmpty).toBe(false);
});

it('the memory of files remembers a file again once it holds something else', () => {
  const files = rememberFiles(Date.now());
  files.remember(at('keys/a'));
  writeFileSync(at('keys/a'), 'KEY=marlin-marlin\n');
  files.remember(at('keys/a'));
  copyFileSync(at('keys/a'), at('new'));
  writeFileSync(at('old'), 'KEY=swordfish\n');
  expect([files.originalOf(at('new')), files.originalOf(at('old'))]).toEqual([at('keys/a'), at('keys/a')]);
});

it('the memory of files knows the copy of a large file, and not a file that only begins like it', () => {
  const beginning = Buffer.alloc(9 * 1024 * 1024, 'x');
  const large = (end: string): Buffer => Buffer.concat([beginning, Buffer.from(end)]);
  writeFileSync(at('keys/large'), large('KEY=swordfish'));
  const files = rememberFiles(Date.now());
  files.remember(at('keys/large'));
  writeFileSync(at('copy'), large('KEY=swordfish'));
  writeFileSync(at('other'), large('another thing'));
  expect([files.originalOf(at('copy')), files.originalOf(at('other'))]).toEqual([at('keys/large'), null]);
});
