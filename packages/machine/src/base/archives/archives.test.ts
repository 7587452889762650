import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makeTar, makeZip } from './fixtures/make-archives.js';
import { readTar } from './read-tar.js';
import { readZip } from './read-zip.js';

const small = { files: 10, bytes: 10_000 };
const textsOf = (files: { path: string; bytes: Uint8Array; isProgram: boolean }[]) =>
  files.map(({ path, bytes, isProgram }) => [path, Buffer.from(bytes).toString(), isProgram]);

const good = [
  { path: 'plugin.json', text: '{}' },
  { path: 'bin/run.sh', text: '#!/bin/sh\n', mode: 0o755 },
];
const read = [
  ['plugin.json', '{}', false],
  ['bin/run.sh', '#!/bin/sh\n', true],
];

it('the unpacker reads the files of a zip archive, packed or not, and knows programs', () => {
  expect(textsOf(readZip(makeZip(good), 'a.zip', small))).toEqual(read);
  expect(textsOf(readZip(makeZip(good, { isPacked: false }), 'a.zip', small))).toEqual(read);
});

it('the unpacker reads the files of a tar archive, packed by gzip or not', () => {
  expect(textsOf(readTar(makeTar(good), 'a.tar', small))).toEqual(read);
  expect(textsOf(readTar(gzipSync(makeTar(good)), 'a.tgz', small))).toEqual(read);
});

it.each([
  ['../out.txt', 'a path that leaves the folder'],
  ['a/../../out.txt', 'a path that leaves the folder'],
  ['/etc/passwd', 'an absolute path'],
  ['C:/x', 'an absolute path'],
  ['a\\..\\b', 'a path with characters that no name should have'],
  ['a//b', 'no usable path'],
])('the unpacker refuses %s in either kind of archive', (path, why) => {
  const shown = JSON.stringify(path);
  const entries = [{ path, text: 'x' }];
  expect(() => readZip(makeZip(entries), 'a.zip', small)).toThrow(
    `a.zip was not unpacked: ${shown} is ${why}.`,
  );
  expect(() => readTar(makeTar(entries), 'a.tar', small)).toThrow(
    `a.tar was not unpacked: ${shown} is ${why}.`,
  );
});

it('the unpacker refuses links, devices and names that differ by case alone', () => {
  const link = [{ path: 'link', text: '/etc', mode: 0o120777, type: '2' }];
  expect(() => readZip(makeZip(link), 'a.zip', small)).toThrow('link is a link.');
  expect(() => readTar(makeTar(link), 'a.tar', small)).toThrow('link is a link.');
  expect(() => readTar(makeTar([{ path: 'pipe', text: '', type: '6' }]), 'a.tar')).toThrow(
    'pipe is not a regular file.',
  );
  const twice = [
    { path: 'a.txt', text: '1' },
    { path: 'A.TXT', text: '2' },
  ];
  expect(() => readZip(makeZip(twice), 'a.zip', small)).toThrow('A.TXT is in it twice.');
});

it('the unpacker stops a bomb before it is unpacked, whatever the archive says of its size', () => {
  const bomb = [{ path: 'zeros', text: '\0'.repeat(1_000_000), saysBytes: 10 }];
  expect(() => readZip(makeZip(bomb), 'bomb.zip', { files: 10, bytes: 2 ** 20 - 100_000 })).toThrow(
    'bomb.zip was not unpacked: it unpacks to more than 0 MB.',
  );
  expect(() => readTar(gzipSync(Buffer.alloc(20 * 2 ** 20)), 'bomb.tgz', small)).toThrow(
    'bomb.tgz was not unpacked: it unpacks to more than 0 MB.',
  );
  const many = Array.from({ length: 11 }, (_, index) => ({ path: `${index}`, text: '' }));
  expect(() => readZip(makeZip(many), 'a.zip', small)).toThrow('it has more than 10 files.');
});

it('the unpacker says that something is no archive, or broken, in place of throwing anything else', () => {
  expect(() => readZip(Buffer.from('hello'), 'a.zip')).toThrow(
    'a.zip was not unpacked: it is not a zip archive.',
  );
  expect(() => readTar(Buffer.alloc(600, 'x'), 'a.tar')).toThrow('it is not a tar archive, or it is broken.');
  expect(() => readTar(Buffer.from([0x1f, 0x8b, 1, 2]), 'a.tgz')).toThrow(
    'a.tgz was not unpacked: it is broken.',
  );
  const whole = makeZip(good);
  for (let length = 0; length < whole.length; length += 7) {
    for (const bytes of [whole.subarray(0, length), whole.subarray(length)]) {
      try {
        readZip(bytes, 'a.zip', small);
      } catch (error) {
        expect(error).toHaveProperty('name', 'SettingsError');
      }
    }
  }
});
