import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../base/fixtures/temp-folder.js';
import { ownLease } from '../../leases/lease.js';
import { here } from '../../plain-files/place.js';
import { openStateFolder } from '../../state/state-folder.js';
import { createPlaceholders, heldPlaceholders } from './placeholders.js';

let base: string;
let notes: string;
let file: string;
let folder: string;

beforeEach(() => {
  base = tempFolder();
  notes = join(base, 'state/cache/sandbox/placeholders');
  [file, folder] = [join(base, '.mcp.json'), join(base, '.vscode')];
});

const open = () => createPlaceholders(openStateFolder(join(base, 'state')));
const missing = () => [
  { path: file, kind: 'file' as const },
  { path: folder, kind: 'folder' as const },
];
const watched = missing;
const present = (): boolean[] => [file, folder].map((path) => existsSync(path));

test('what is missing exists while it is held, and is gone afterwards', async () => {
  const release = await open().hold(missing(), watched());
  expect(present()).toEqual([true, true]);
  release();
  expect(present()).toEqual([false, false]);
  expect(readdirSync(notes)).toEqual([]);
});

test('nothing is written where nothing is missing', async () => {
  (await open().hold([], watched()))();
  expect(existsSync(join(base, 'state'))).toBe(false);
});

test('what two runs need stays until the second has ended', async () => {
  const first = await open().hold(missing(), watched());
  const second = await open().hold([], watched());
  first();
  expect(present()).toEqual([true, true]);
  second();
  expect(present()).toEqual([false, false]);
});

test('what a run needs is made again when the other one removes it just before', async () => {
  const first = await open().hold(missing(), watched());
  const second = open().hold([], watched());
  first();
  const release = await second;
  expect(present()).toEqual([true, true]);
  release();
  expect(present()).toEqual([false, false]);
});

test('what someone has put there meanwhile stays', async () => {
  const release = await open().hold(missing(), watched());
  writeFileSync(file, '{}');
  writeFileSync(join(folder, 'tasks.json'), '{}');
  release();
  expect(present()).toEqual([true, true]);
});

test('what a killed run has left is removed, and what a living one needs is not', async () => {
  const owner = await ownLease();
  mkdirSync(notes, { recursive: true });
  writeFileSync(file, '');
  mkdirSync(folder);
  const note = (name: string, start: string | null, paths: string[]): void =>
    writeFileSync(join(notes, name), JSON.stringify({ v: 1, owner: { ...owner, start }, paths }));
  note('dead.json', 'long ago', [file, folder]);
  note('living.json', owner.start, [folder]);
  writeFileSync(join(notes, 'torn.json'), '{"v": 1, "own');
  await open().sweep();
  expect(present()).toEqual([false, true]);
});

test('what a killed run has left in a view waits for a session that sees the view, or for the end of the view', async () => {
  const owner = { ...(await ownLease()), start: 'long ago' };
  const view = join(base, 'view');
  mkdirSync(join(view, base), { recursive: true });
  mkdirSync(notes, { recursive: true });
  const inView = { ...here, at: (path: string) => join(view, path), viewFolder: () => view };
  const state = openStateFolder(join(base, 'state'));
  const note = (): void =>
    writeFileSync(join(notes, 'dead.json'), JSON.stringify({ v: 1, owner, view, paths: [file] }));
  for (const path of [file, inView.at(file)]) writeFileSync(path, '');
  note();
  await open().sweep();
  expect([existsSync(file), existsSync(inView.at(file)), [...heldPlaceholders(state, view)]]).toEqual([
    true,
    true,
    [file],
  ]);
  await createPlaceholders(state, inView).sweep();
  expect([existsSync(file), existsSync(inView.at(file)), readdirSync(notes)]).toEqual([true, false, []]);
  note();
  rmSync(view, { recursive: true });
  await open().sweep();
  expect([existsSync(file), readdirSync(notes)]).toEqual([true, []]);
});

test('a run in a view and one outside it hold the same paths apart from each other', async () => {
  const view = join(base, 'view');
  mkdirSync(join(view, base), { recursive: true });
  const inView = { ...here, at: (path: string) => join(view, path), viewFolder: () => view };
  const apart = await createPlaceholders(openStateFolder(join(base, 'state')), inView).hold(missing(), []);
  const outside = await open().hold(missing(), watched());
  outside();
  expect(present()).toEqual([false, false]);
  expect(existsSync(inView.at(folder))).toBe(true);
  apart();
  expect(readdirSync(join(view, base))).toEqual([]);
});

test('a folder that can not be made leaves nothing behind', async () => {
  const nowhere = { path: join(base, 'absent/.npmrc'), kind: 'file' as const };
  await expect(open().hold([...missing(), nowhere], watched())).rejects.toThrow('ENOENT');
  expect([present(), readdirSync(notes)]).toEqual([[false, false], []]);
});
