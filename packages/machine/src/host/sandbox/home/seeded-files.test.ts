import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../../base/fixtures/temp-folder.js';
import { seedFiles } from './seeded-files.js';

let base: string;
const at = (path: string): string => join(base, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');

beforeEach(() => {
  base = tempFolder();
  for (const folder of ['home/notes', 'home/.ssh', 'scratch']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('home/notes/id'), 'a note');
  writeFileSync(at('home/.ssh/id'), 'a key');
});

const seed = (folder = at('scratch')) => {
  const path = at('home/notes/id');
  return seedFiles([{ path, real: path, kind: 'file' }], { folder, home: at('home') });
};

it('a copy that was handed over puts in place what a program made of its copy, also where the state folder is a link', async () => {
  symlinkSync(at('scratch'), at('state'));
  const settle = seed(at('state'));
  expect(read('scratch/notes/id')).toBe('a note');
  writeFileSync(at('scratch/notes/id'), 'another note');
  expect(await settle()).toEqual({ kept: [at('home/notes/id')], problems: [] });
  expect(read('home/notes/id')).toBe('another note');
});

it('a copy that was handed over takes nothing from a folder of the host that a program has put a link to in the place of its own', async () => {
  const settle = seed();
  rmSync(at('scratch/notes'), { recursive: true });
  symlinkSync(at('home/.ssh'), at('scratch/notes'));
  expect(await settle()).toEqual({
    kept: [],
    problems: [`${at('home/notes/id')} was not changed: a link is in the place of its folder`],
  });
  expect(read('home/notes/id')).toBe('a note');
});

it('a copy that was handed over removes the file when a program has removed the folder of its copy', async () => {
  const settle = seed();
  rmSync(at('scratch/notes'), { recursive: true });
  expect(await settle()).toEqual({ kept: [at('home/notes/id')], problems: [] });
});
