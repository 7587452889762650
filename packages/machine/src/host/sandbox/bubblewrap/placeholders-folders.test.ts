import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../../base/fixtures/temp-folder.js';
import { makeMissingFolders } from './placeholders.js';

let base: string;
const at = (path: string): string => join(base, path);
const missing = (path: string) => ({ path: at(path), real: at(path), kind: 'missing-folder' as const });

beforeEach(() => {
  base = tempFolder();
});

it('the maker of missing folders removes the folders that stayed empty, with those above them that it made', () => {
  const { release } = makeMissingFolders([missing('a/b/c'), missing('d/e')]);
  writeFileSync(at('d/kept'), '');
  release();
  expect(['a', 'd', 'd/e', 'd/kept'].map((path) => existsSync(at(path)))).toEqual([false, true, false, true]);
});

it('the maker of missing folders leaves nothing behind when one of several can not be made', () => {
  writeFileSync(at('file'), '');
  expect(() => makeMissingFolders([missing('a/b'), missing('file/c')])).toThrow(/ENOTDIR|EEXIST/);
  expect(existsSync(at('a'))).toBe(false);
});
