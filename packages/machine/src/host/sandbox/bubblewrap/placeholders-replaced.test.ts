import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../base/fixtures/temp-folder.js';
import { watchForReplaced } from './placeholders.js';

let base: string;
const at = (name: string): string => join(base, name);

beforeEach(() => {
  base = tempFolder();
  writeFileSync(at('.npmrc'), 'one');
  mkdirSync(at('.vscode'));
});

const changes: [string, () => void, string[]][] = [
  ['nothing changed', () => undefined, []],
  ['something was made', () => writeFileSync(at('.envrc'), ''), ['.envrc']],
  ['a file was written in place', () => writeFileSync(at('.npmrc'), 'two'), []],
  ['something was put into a folder', () => writeFileSync(at('.vscode/tasks.json'), '{}'), []],
  ['something was removed', () => rmSync(at('.npmrc')), []],
  [
    'a file was replaced',
    () => {
      writeFileSync(at('new'), 'two');
      renameSync(at('new'), at('.npmrc'));
    },
    ['.npmrc'],
  ],
  [
    'a folder was made again',
    () => {
      rmdirSync(at('.vscode'));
      mkdirSync(at('.vscode'));
    },
    ['.vscode'],
  ],
];

test.each(changes)('a path counts as replaced or not: %s', (_what, change, expected) => {
  const changed = watchForReplaced(['.npmrc', '.vscode', '.envrc'].map(at));
  change();
  expect(changed()).toEqual(expected.map(at));
});
