import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../../base/fixtures/temp-folder.js';
import { openCappedFile } from './capped-file.js';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

const opened = async (maxBytes: number) => {
  const path = join(folder, 'log');
  return { path, file: await openCappedFile({ path, maxBytes }) };
};

it('a capped file holds all of it, for nobody else to read, as long as it is short', async () => {
  const { path, file } = await opened(1000);
  file.add(Buffer.from('one\n'));
  file.add(Buffer.from('two\n'));
  expect(await file.close()).toBeNull();
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a capped file keeps the beginning and the end, says how much it dropped, and stays within its limit', async () => {
  const { path, file } = await opened(10_000);
  for (let line = 0; line < 5_000; line++) file.add(Buffer.from(`line ${line}\n`));
  await file.close();
  const text = readFileSync(path, 'utf8');
  expect(text.startsWith('line 0\nline 1\n')).toBe(true);
  expect(text.endsWith('line 4998\nline 4999\n')).toBe(true);
  const dropped = Number(/\n\[… (\d+) bytes were dropped here …\]\n/.exec(text)?.[1]);
  const notice = Buffer.byteLength(`\n[… ${dropped} bytes were dropped here …]\n`);
  expect(dropped + statSync(path).size - notice).toBe(file.totalBytes());
  expect(statSync(path).size).toBeLessThanOrEqual(10_000);
});

it('a capped file reads on from any place, before and after it is closed', async () => {
  const { file } = await opened(10_000);
  file.add(Buffer.from('hello world'));
  expect(await file.read(6, 100)).toMatchObject({ from: 6, bytes: Buffer.from('world') });
  expect(await file.read(11, 100)).toMatchObject({ from: 11, bytes: Buffer.alloc(0) });
  await file.close();
  expect(await file.read(0, 5)).toMatchObject({ from: 0, bytes: Buffer.from('hello') });
});

it('a capped file goes on after what was dropped when asked for a place that is gone', async () => {
  const { file } = await opened(1_000);
  file.add(Buffer.from('a'.repeat(5_000)));
  file.add(Buffer.from('z'.repeat(50)));
  const { from, bytes } = await file.read(2_000, 10_000);
  expect(from).toBe(5_050 - bytes.length);
  expect(bytes.toString().endsWith(`a${'z'.repeat(50)}`)).toBe(true);
  await file.close();
});

it('a capped file asks the writer to wait when the disk is slower than the program', async () => {
  const { file } = await opened(100_000_000);
  const waits = Array.from({ length: 40 }, () => file.add(Buffer.alloc(65_536, 'x')));
  expect(waits.some((wait) => wait !== null)).toBe(true);
  await Promise.all(waits);
  await file.close();
});
