import { expect, test } from 'vitest';
import { createSeenFiles } from './seen-files.js';

const bytes = (length: number) => new Uint8Array(length);

test('a file is seen once any part of it was', () => {
  const seen = createSeenFiles();
  expect(seen.lastSeen('/a')).toBeUndefined();
  seen.saw('/a');
  expect(seen.lastSeen('/a')).toEqual({});
});

test('the last version counts, and a glance does not replace it', () => {
  const seen = createSeenFiles();
  seen.saw('/a', { hash: 'one', bytes: bytes(1) });
  seen.saw('/a', { hash: 'two', bytes: bytes(2) });
  seen.saw('/a');
  expect(seen.lastSeen('/a')).toEqual({ hash: 'two', bytes: bytes(2) });
});

test('a large file is remembered by its hash only', () => {
  const seen = createSeenFiles({ maxFileBytes: 10 });
  seen.saw('/a', { hash: 'one', bytes: bytes(11) });
  expect(seen.lastSeen('/a')).toEqual({ hash: 'one' });
});

test('the contents kept longest without use go first, their hashes stay', () => {
  const seen = createSeenFiles({ maxTotalBytes: 10 });
  seen.saw('/a', { hash: 'a', bytes: bytes(4) });
  seen.saw('/b', { hash: 'b', bytes: bytes(4) });
  seen.saw('/a');
  seen.saw('/c', { hash: 'c', bytes: bytes(4) });
  expect(seen.lastSeen('/a')).toEqual({ hash: 'a', bytes: bytes(4) });
  expect(seen.lastSeen('/b')).toEqual({ hash: 'b' });
  expect(seen.lastSeen('/c')).toEqual({ hash: 'c', bytes: bytes(4) });
});

test('a version that replaces another gives its room back', () => {
  const seen = createSeenFiles({ maxTotalBytes: 10 });
  for (let round = 0; round < 20; round++) seen.saw('/a', { hash: String(round), bytes: bytes(8) });
  seen.saw('/b', { hash: 'b', bytes: bytes(2) });
  expect(seen.lastSeen('/a')).toEqual({ hash: '19', bytes: bytes(8) });
});
