import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256 } from '../../host/objects/image-file.js';
import { openBases } from './bases.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bases-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = Buffer.from('the bytes before the change');
const hash = sha256(bytes);
const state = { kind: 'file' as const, hash, mode: 0o644 };

it('a torn image that a kill left behind is replaced by the whole one', async () => {
  const bases = await openBases(folder);
  await mkdir(dirname(bases.pathOf(hash)), { recursive: true });
  await writeFile(bases.pathOf(hash), 'the byt');
  await bases.note('a.txt', state as never, async () => bytes);
  expect(Buffer.from((await bases.read(hash))!).toString()).toBe(bytes.toString());
});

it('two files of the same content can be noted at the same moment', async () => {
  const bases = await openBases(folder);
  const note = (path: string) => bases.note(path, state as never, async () => bytes);
  await Promise.all([note('a.txt'), note('b.txt'), note('c.txt')]);
  expect(await readdir(dirname(bases.pathOf(hash)))).toEqual([hash]);
  const again = await openBases(folder);
  expect(['a.txt', 'b.txt', 'c.txt'].map((path) => again.of(path))).toEqual([state, state, state]);
});
