import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, ftruncateSync, openSync, readdirSync, writeSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { bothWays, failure, temporaryWorkspaces } from './fixtures/both-ways.js';

describe.each(bothWays)('reading, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('gives bytes, their hash, what the file is and where it really is', async () => {
    const temporary = create({ content: { 'a/b.bin': Buffer.from([0, 255, 10]) } });
    temporary.symlink('l', 'a/b.bin');
    const { bytes, hash, stat, realPath } = await temporary.files.read('l');
    expect([...bytes]).toEqual([0, 255, 10]);
    expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(stat).toMatchObject({ kind: 'file', size: 3, mode: 0o644, links: 1 });
    expect(realPath).toBe(temporary.path('a/b.bin'));
    expect(await temporary.files.stat('a/b.bin')).toEqual(stat);
    expect(await temporary.files.stat('a/missing')).toBeNull();
    expect(await temporary.files.stat('missing/deep/er')).toBeNull();
  });

  test('a large file that has not changed is not read into memory a second time', async () => {
    const temporary = create({ content: { large: 'x'.repeat(1_000_000) } });
    const first = await temporary.files.read('large');
    const again = await temporary.files.read('large');
    expect(again.bytes).toBe(first.bytes);
    expect(again.hash).toBe(first.hash);
    const bytes = Buffer.alloc(1_000_000, 'y');
    const hash = createHash('sha256').update(bytes).digest('hex');
    await temporary.files.write('large', bytes, { expect: { kind: 'file', hash: first.hash }, hash });
    const written = await temporary.files.read('large');
    expect(written.bytes).toBe(bytes);
    expect(written.hash).toBe(hash);
  });

  const others: [name: string, content: string][] = [
    ['another content of the same length', `${'x'.repeat(999_999)}y`],
    ['a longer content that begins the same', `${'x'.repeat(1_000_000)}y`],
    ['a shorter content that begins the same', 'x'.repeat(999_999)],
  ];
  test.each(others)('a large file that has %s by now is read anew', async (_name, content) => {
    const temporary = create({ content: { large: 'x'.repeat(1_000_000) } });
    await temporary.files.read('large');
    temporary.write('large', content);
    const { bytes, hash } = await temporary.files.read('large');
    expect(Buffer.from(bytes).toString()).toBe(content);
    expect(hash).toBe(createHash('sha256').update(content).digest('hex'));
  });

  test('of a missing file says what is missing', async () => {
    const temporary = create();
    expect(await failure(temporary.files.read('none'), temporary)).toEqual({
      code: 'not_found',
      message: 'none does not exist.',
    });
    expect(await failure(temporary.files.list('no/ne'), temporary)).toEqual({
      code: 'not_found',
      message: 'no/ne does not exist. Its folder does not exist either.',
    });
  });

  test('refuses a file above the size limit', async () => {
    const temporary = create({ content: { ten: '0123456789' } });
    expect((await temporary.files.read('ten', { maxBytes: 10 })).bytes.byteLength).toBe(10);
    expect(await failure(temporary.files.read('ten', { maxBytes: 9 }), temporary)).toEqual({
      code: 'too_large',
      message: 'ten is 10 bytes long; at most 9 bytes are read at once. Read a part of it.',
    });
  });

  test('works for empty files and files larger than one piece', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024, 'large ');
    const temporary = create({ content: { empty: '', large } });
    expect((await temporary.files.read('empty')).bytes.byteLength).toBe(0);
    expect(large.equals((await temporary.files.read('large')).bytes)).toBe(true);
  });

  test('reaches the end of a 2 GB file by position', async () => {
    const temporary = create();
    const descriptor = openSync(temporary.path('big'), 'w');
    const size = 2 * 1024 ** 3 + 100;
    ftruncateSync(descriptor, size);
    writeSync(descriptor, 'the end', size - 7);
    closeSync(descriptor);
    const file = await temporary.files.open('big');
    expect(file.stat.size).toBe(size);
    expect(Buffer.from(await file.read(size - 7, 100)).toString()).toBe('the end');
    expect((await file.read(size + 5, 10)).byteLength).toBe(0);
    const buffer = Buffer.alloc(64);
    expect(await file.readInto(buffer, size - 7)).toBe(7);
    expect(await file.readInto(buffer, size)).toBe(0);
    appendFileSync(temporary.path('big'), ', and more');
    expect(Buffer.from(await file.read(size - 7, 100)).toString()).toBe('the end, and more');
    await file.close();
    await file.close();
    await expect(file.read(0, 1)).rejects.toThrow('was closed');
  });

  test('of an open file is not disturbed by a replacement', async () => {
    const temporary = create({ content: { f: 'old' } });
    const file = await temporary.files.open('f');
    const { hash } = await temporary.files.read('f');
    await temporary.files.write('f', Buffer.from('new'), { expect: { kind: 'file', hash } });
    expect(Buffer.from(await file.read(0, 10)).toString()).toBe('old');
    await file.close();
    expect(await temporary.files.readText('f')).toBe('new');
  });

  test('as text takes the encodings there are, and refuses what is not text', async () => {
    const temporary = create({
      content: { wide: Buffer.from('\ufeffgrün\n', 'utf16le'), bytes: Buffer.alloc(64) },
    });
    expect(await temporary.files.readText('wide')).toBe('grün\n');
    expect(await failure(temporary.files.readText('bytes'), temporary)).toEqual({
      code: 'failed',
      message: 'bytes is binary, not text.',
    });
  });

  test('stops when it is cancelled', async () => {
    const temporary = create({ content: { f: 'text' } });
    const signal = AbortSignal.abort({ kind: 'user' });
    const settled = await Promise.allSettled([
      temporary.files.read('f', { signal }),
      temporary.files.open('f', signal),
      temporary.files.list('.', signal),
      temporary.files.readText('f', signal),
    ]);
    expect(settled).toEqual(Array(4).fill({ status: 'rejected', reason: { kind: 'user' } }));
  });

  test('of a folder tells kinds, sizes and times, sorted by name', async () => {
    const temporary = create({ content: { b: '12', 'a/x': '' } });
    temporary.symlink('c', 'nowhere');
    const entries = await temporary.files.list('.');
    expect(entries).toMatchObject([
      { name: 'a', kind: 'directory', nameIsUtf8: true },
      { name: 'b', kind: 'file', size: 2 },
      { name: 'c', kind: 'symlink' },
    ]);
    expect(entries[1]?.mtimeMs).toBeCloseTo((await temporary.files.stat('b'))!.mtimeMs, 2);
    expect(await temporary.files.list('a')).toHaveLength(1);
  });

  test('leaves no descriptor open, whatever happens', async () => {
    const temporary = create({ content: { 'a/b/f': 'text' } });
    temporary.symlink('out', temporary.outside);
    temporary.symlink('loop', 'loop');
    temporary.symlink('l', 'a/b/../b/f');
    const { files } = temporary;
    const before = readdirSync('/proc/self/fd').length;
    for (const path of ['a/b/f', 'l', 'out/x', 'loop/x', 'a/b/f/x', 'a/none/x', 'a/b', '.']) {
      const calls: Promise<unknown>[] = [
        files.stat(path),
        files.lstat(path),
        files.read(path, { maxBytes: 2 }),
        files.readText(path),
        files.list(path),
        files.realPath(path),
        files.readLink(path),
        files.makeDirectory(path),
        files.write(path, Buffer.from('x'), { expect: { kind: 'file', hash: 'no' } }),
        files.write(path, Buffer.from('x'), { expect: { kind: 'absent' } }),
        files.remove(path, { kind: 'file', hash: 'no' }),
        files.makeSymlink(path, 'x', { kind: 'symlink', target: 'no' }),
        files.setMode(path, 0o600, { kind: 'file', hash: 'no' }),
      ];
      await Promise.allSettled(calls);
    }
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });
});
