import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { createClock, createIds } from '../node-host.js';
import { type OwnTextFile, openOwnTextFile } from './own-text-file.js';
import { openState } from './state.js';

const never = new AbortController().signal;
const bytes = (text: string) => Buffer.from(text);
let base: string;
let file: OwnTextFile;

beforeEach(() => {
  base = tempFolder();
  file = another();
});

function another(): OwnTextFile {
  const state = openState({ path: join(base, 'state'), host: { clock: createClock(), ids: createIds() } });
  return openOwnTextFile(state, 'AGENTS.md');
}

test('a file that is not there reads as null, and nothing is made by reading', async () => {
  expect(await file.read()).toBeNull();
  expect(() => statSync(join(base, 'state'))).toThrow();
});

test('it is made for the owner alone and replaced when it is what was expected', async () => {
  await file.replace(bytes('one'), null, never);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  await file.replace(bytes('two'), bytes('one'), never);
  expect(readFileSync(file.path, 'utf8')).toBe('two');
});

test.each<[string, string | null, string | null]>([
  ['was made meanwhile', 'x', null],
  ['was removed meanwhile', null, 'x'],
  ['was changed meanwhile', 'y', 'x'],
])('a file that %s is a conflict and stays as it is', async (_name, present, expected) => {
  mkdirSync(join(base, 'state'), { mode: 0o700 });
  if (present !== null) writeFileSync(file.path, present);
  const attempt = file.replace(bytes('new'), expected === null ? null : bytes(expected), never);
  await expect(attempt).rejects.toMatchObject({ code: 'conflict' });
  expect((await file.read())?.toString() ?? null).toBe(present);
});

test('of many who expect the same only one writes', async () => {
  const attempts = Array.from({ length: 8 }, (_, index) => another().replace(bytes(`${index}`), null, never));
  const settled = await Promise.allSettled(attempts);
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a link to a file elsewhere stays a link', async () => {
  mkdirSync(join(base, 'state'), { mode: 0o700 });
  writeFileSync(join(base, 'dotfile'), 'old');
  symlinkSync(join(base, 'dotfile'), file.path);
  await file.replace(bytes('new'), bytes('old'), never);
  expect(lstatSync(file.path).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(base, 'dotfile'), 'utf8')).toBe('new');
});

test('what can’t be a text file is an error of the call, not the end of the program', async () => {
  mkdirSync(file.path, { recursive: true, mode: 0o700 });
  await expect(file.read()).rejects.toMatchObject({ name: 'ToolError', code: 'failed' });
  await expect(file.replace(bytes('x'), null, never)).rejects.toMatchObject({ code: 'failed' });
});
