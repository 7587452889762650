import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRegularFile, readRegularFile, readRegularFileIfThere } from './regular-file.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-regular-'));
  writeFileSync(join(folder, 'file'), 'content');
  symlinkSync('file', join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('pipe', join(folder, 'link-to-pipe'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['file', 'link'])('a %s is read', (name) => {
  expect(readRegularFile(join(folder, name)).toString()).toBe('content');
  const { descriptor, size } = openRegularFile(join(folder, name));
  closeSync(descriptor);
  expect(size).toBe(7);
});

it.each(['pipe', 'link-to-pipe', '.', '/dev/null', '/dev/tty'])('%s is refused at once', (name) => {
  const path = name.startsWith('/') ? name : join(folder, name);
  expect(() => readRegularFileIfThere(path)).toThrow(`${path} is not a regular file`);
});

it('a file that is not there is read as null', () => {
  expect(readRegularFileIfThere(join(folder, 'gone'))).toBeNull();
  expect(readRegularFileIfThere(join(folder, 'file', 'gone'))).toBeNull();
  expect(() => readRegularFile(join(folder, 'gone'))).toThrow('ENOENT');
});

it('a file that is too large is refused', () => {
  expect(() => readRegularFile(join(folder, 'file'), 6)).toThrow('is larger than 6 bytes');
});

it.runIf(process.platform === 'linux')(
  'a file of the kernel, which may never end, has nothing to read',
  () => {
    expect(readRegularFile('/proc/self/mountinfo')).toHaveLength(0);
  },
);
