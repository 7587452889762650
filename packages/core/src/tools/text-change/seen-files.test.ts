import { describe, expect, test } from 'vitest';
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

describe('what a command of the model left', () => {
  const left = { hash: 'two', bytes: bytes(2) };

  test('counts as seen, and what the model read is kept beside it', () => {
    const seen = createSeenFiles();
    seen.saw('/a', { hash: 'one', bytes: bytes(1) });
    seen.changedByOwn('/a', { before: 'one', after: left });
    seen.changedByOwn('/a', { before: 'two', after: { hash: 'three', bytes: bytes(3) } });
    expect(seen.lastSeen('/a')).toEqual({ hash: 'three', bytes: bytes(3), read: bytes(1) });
  });

  test('changes nothing about what was seen where others had changed the file before', () => {
    const seen = createSeenFiles();
    seen.saw('/a', { hash: 'one', bytes: bytes(1) });
    seen.changedByOwn('/a', { before: 'another', after: left });
    expect(seen.lastSeen('/a')).toEqual({ hash: 'one', bytes: bytes(1) });
  });

  test('is no version to go by where only a part was read, or nothing', () => {
    const seen = createSeenFiles();
    seen.saw('/part');
    for (const path of ['/part', '/never']) seen.changedByOwn(path, { before: 'one', after: left });
    expect([seen.lastSeen('/part'), seen.lastSeen('/never')]).toEqual([{}, {}]);
    seen.changedByOwn('/gone', { before: 'one', after: null });
    expect(seen.lastSeen('/gone')).toBeUndefined();
  });

  test('takes room for both texts, and gives it back', () => {
    const seen = createSeenFiles({ maxTotalBytes: 10 });
    seen.saw('/a', { hash: 'one', bytes: bytes(4) });
    seen.changedByOwn('/a', { before: 'one', after: { hash: 'two', bytes: bytes(4) } });
    seen.saw('/b', { hash: 'b', bytes: bytes(4) });
    expect(seen.lastSeen('/a')).toEqual({ hash: 'two' });
    expect(seen.lastSeen('/b')).toEqual({ hash: 'b', bytes: bytes(4) });
  });
});
