import { appendFile, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { type JsonLine, openAppendFile, readJsonLines } from './append-file.js';

let base: string;
let path: string;
beforeEach(() => {
  base = tempFolder();
  path = join(base, 'journal.jsonl');
});

async function readAll(): Promise<JsonLine[]> {
  const lines: JsonLine[] = [];
  for await (const line of readJsonLines(path)) lines.push(line);
  return lines;
}

it('an appended file keeps lines in the order of the calls, readable by the owner only', async () => {
  const file = await openAppendFile(path);
  await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      file.append(JSON.stringify({ index }), { sync: index % 50 === 0 }),
    ),
  );
  await file.close();
  expect((await readAll()).map(({ value }) => value)).toEqual(
    Array.from({ length: 200 }, (_, index) => ({ index })),
  );
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('an appended file reads a file that does not exist as having no lines', async () => {
  expect(await readAll()).toEqual([]);
});

it('an appended file refuses a line with a newline inside', async () => {
  const file = await openAppendFile(path);
  await expect(file.append('a\nb')).rejects.toThrow(/must not contain a newline/);
  await file.append('1');
  await file.close();
  expect(await readFile(path, 'utf8')).toBe('1\n');
});

it('an appended file reports a torn last line as such and goes on after it on a line of its own', async () => {
  await writeFile(path, '{"a":1}\n{"b":');
  expect(await readAll()).toEqual([
    { number: 1, value: { a: 1 }, text: '{"a":1}' },
    { number: 2, value: undefined, text: '{"b":' },
  ]);
  const file = await openAppendFile(path);
  await file.append('{"c":3}');
  await file.close();
  expect((await readAll()).map(({ value }) => value)).toEqual([{ a: 1 }, undefined, { c: 3 }]);
});

it('an appended file takes two writers, as two processes would be', async () => {
  const [left, right] = [await openAppendFile(path), await openAppendFile(path)];
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => [
      left.append(`{"left":${index}}`),
      right.append(`{"right":${index}}`),
    ]).flat(),
  );
  await Promise.all([left.close(), right.close()]);
  const values = (await readAll()).map(({ value }) => value);
  expect(values).toHaveLength(200);
  expect(values).not.toContain(undefined);
});

it('an appended file loses no whole line wherever the file is cut', async () => {
  const entry = fc.record({ text: fc.string({ unit: 'binary', maxLength: 30 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 6 }), fc.nat(), async (entries, cut) => {
      await rm(path, { force: true });
      await appendFile(path, entries.map((value) => `${JSON.stringify(value)}\n`).join(''));
      const bytes = await readFile(path);
      const length = cut % (bytes.length + 1);
      await truncate(path, length);
      const whole = bytes.subarray(0, length).toString('latin1').split('\n').length - 1;
      const file = await openAppendFile(path);
      await file.append('{"after":true}');
      await file.close();
      const values = (await readAll()).map(({ value }) => value).filter((value) => value !== undefined);
      const complete = values.slice(0, whole);
      expect(complete).toEqual(JSON.parse(JSON.stringify(entries.slice(0, whole))));
      expect(values.at(-1)).toEqual({ after: true });
    }),
    { numRuns: 100 },
  );
});
