import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { createRedactor } from '../../base/secrets/redact.js';
import { createLog, type LogOptions } from './log.js';

let base: string;
let path: string;
beforeEach(() => {
  base = tempFolder();
  path = join(base, 'state/log/toolwright.jsonl');
});

const open = (options: Partial<LogOptions> = {}) =>
  createLog({
    path,
    redactor: createRedactor(['s3cret-value']),
    clock: { now: () => Date.UTC(2030, 0, 1) },
    debug: true,
    ...options,
  });

async function entries(file = path): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('the log is created by the first line, for the owner only', async () => {
  const log = open();
  expect(log.path).toBe(path);
  expect(await readdir(base)).toEqual([]);
  log.debug('started', { directory: '/x' });
  expect(await entries()).toEqual([
    {
      v: 1,
      time: '2030-01-01T00:00:00.000Z',
      pid: process.pid,
      level: 'debug',
      message: 'started',
      data: { directory: '/x' },
    },
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(base, 'state'))).mode & 0o777).toBe(0o700);
});

it('the log keeps errors, and debug lines only when asked', async () => {
  const log = open({ debug: false });
  log.debug('quiet');
  log.error('loud', new TypeError('broken', { cause: new Error('inner') }));
  const [entry, ...others] = await entries();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    level: 'error',
    message: 'loud',
    data: { name: 'TypeError', message: 'broken', cause: { name: 'Error', message: 'inner' } },
  });
  expect(JSON.stringify(entry)).toContain('log.test.ts');
});

it('the log never holds a known secret, wherever it stands', async () => {
  const log = open();
  log.debug('request s3cret-value', {
    headers: { authorization: 'x-custom' },
    nested: [{ body: '{"k":"s3cret-value"}' }],
    's3cret-value': 1,
  });
  log.error('failed', new Error('401 for sk-ant-0123456789abcdef0123', { cause: 's3cret-value' }));
  const text = await readFile(path, 'utf8');
  expect(text).not.toMatch(/s3cret-value|0123456789abcdef|x-custom/);
  expect((await entries()).map(({ message }) => message)).toEqual(['request [redacted]', 'failed']);
});

it('the log takes data that JSON can not', async () => {
  const loop: Record<string, unknown> = { big: 10n, run: () => 1, none: undefined };
  loop['self'] = loop;
  const error = new Error('round');
  Object.assign(error, { again: error });
  open().debug('odd', { loop, error, twice: [loop['big'], loop['big']] });
  const [entry] = await entries();
  expect(entry?.['data']).toMatchObject({
    loop: { big: '10n', run: '() => 1', self: '[circular]' },
    error: { message: 'round', again: '[circular]' },
    twice: ['10n', '10n'],
  });
});

it('the log shortens a line that is far too long, and keeps it JSON', async () => {
  open().debug('x'.repeat(100_000), { text: 'y'.repeat(500_000) });
  expect((await stat(path)).size).toBeLessThan(64 * 1024);
  expect((await entries())[0]).toMatchObject({ shortened: true });
});

it('the log moves a full log aside and keeps one old one', async () => {
  const log = open({ maxBytes: 1000 });
  for (let index = 0; index < 100; index++) log.debug(`line ${index}`);
  expect((await readdir(join(base, 'state/log'))).sort()).toEqual(['toolwright.jsonl', 'toolwright.jsonl.1']);
  expect((await stat(path)).size).toBeLessThanOrEqual(1000);
  expect((await stat(`${path}.1`)).size).toBeLessThanOrEqual(1000);
  const messages = [...(await entries(`${path}.1`)), ...(await entries())].map(({ message }) => message);
  expect(messages.at(-1)).toBe('line 99');
  expect(messages).toEqual(messages.map((_, index) => `line ${100 - messages.length + index}`));
});

it('the log never throws when it can not be written', async () => {
  await writeFile(join(base, 'state'), 'in the way');
  expect(() => open().error('lost', new Error('x'))).not.toThrow();
  expect(await readFile(join(base, 'state'), 'utf8')).toBe('in the way');
});
