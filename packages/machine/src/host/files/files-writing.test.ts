import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { TempWorkspace } from '../../testing/temp-workspace.js';
import type { Expected } from './files.js';
import { bothWays, failure, temporaryWorkspaces } from './fixtures/both-ways.js';

const bytes = (text: string) => Buffer.from(text);

async function present({ files }: TempWorkspace, path: string): Promise<Expected> {
  return { kind: 'file', hash: (await files.read(path)).hash };
}

describe.each(bothWays)('writing, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('makes and replaces files and leaves nothing else behind', async () => {
    const temporary = create();
    const made = await temporary.files.write('f', bytes('one'), { expect: { kind: 'absent' } });
    expect(made).toMatchObject({ kind: 'file', size: 3, links: 1 });
    const expect1 = await present(temporary, 'f');
    const replaced = await temporary.files.write('f', bytes('second'), { expect: expect1 });
    expect(replaced).toMatchObject({ size: 6, links: 1 });
    expect(replaced.inode).not.toBe(made.inode);
    expect(await temporary.files.stat('f')).toEqual(replaced);
    expect(temporary.tree()).toEqual({ f: 'second' });
  });

  test('refuses when the file is not the expected one, and says what is there', async () => {
    const temporary = create({ content: { f: 'changed', 'd/x': '' } });
    temporary.symlink('l', 'f');
    const hash = 'ab'.repeat(32);
    const changed = await temporary.files.read('f');
    const cases: [string, Expected, string][] = [
      [
        'f',
        { kind: 'file', hash },
        `expected a file with SHA-256 abababababab…, found a file with SHA-256 ${changed.hash.slice(0, 12)}…, mode 0644`,
      ],
      [
        'f',
        { kind: 'file', hash: changed.hash, mode: 0o755 },
        `expected a file with SHA-256 ${changed.hash.slice(0, 12)}…, mode 0755, found a file with SHA-256 ${changed.hash.slice(0, 12)}…, mode 0644`,
      ],
      ['f', { kind: 'absent' }, 'expected no file, found a file, mode 0644'],
      ['f', { kind: 'symlink', target: 'x' }, 'expected a link to "x", found a file, mode 0644'],
      ['l', { kind: 'symlink', target: 'x' }, 'expected a link to "x", found a link to "f"'],
      ['d', { kind: 'file', hash }, 'expected a file with SHA-256 abababababab…, found a folder'],
      ['none', { kind: 'file', hash }, 'expected a file with SHA-256 abababababab…, found no file'],
      ['no/ne', { kind: 'file', hash }, 'expected a file with SHA-256 abababababab…, found no file'],
      [
        'f/ne',
        { kind: 'file', hash: changed.hash },
        `expected a file with SHA-256 ${changed.hash.slice(0, 12)}…, found no file`,
      ],
    ];
    for (const [path, expected, difference] of cases) {
      expect(
        await failure(temporary.files.write(path, bytes('new'), { expect: expected }), temporary),
      ).toEqual({
        code: 'conflict',
        message: `${path} is not what it was: ${difference}. Nothing was changed there. Read it again, then repeat the change.`,
      });
    }
    expect(temporary.tree()).toEqual({ f: 'changed', l: '-> f', 'd/x': '' });
  });

  test('notices a change of content that kept size and time', async () => {
    const large = 'a'.repeat(400_000);
    const temporary = create({ content: { f: large } });
    const before = statSync(temporary.path('f'));
    const content = await temporary.files.read('f');
    writeFileSync(temporary.path('f'), `${large.slice(1)}b`);
    utimesSync(temporary.path('f'), before.atime, before.mtime);
    const write = temporary.files.write('f', bytes('new'), { expect: { kind: 'file', hash: content.hash } });
    expect((await failure(write, temporary)).code).toBe('conflict');
    expect(content.bytes.byteLength).toBe(large.length);
  });

  test('never replaces a file that appeared meanwhile', async () => {
    const temporary = create();
    const writes = Array.from({ length: 20 }, (_, index) =>
      temporary.files.write('f', bytes(`writer ${index}`), { expect: { kind: 'absent' } }),
    );
    const settled = await Promise.allSettled(writes);
    const winners = settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(temporary.tree()).toEqual({ f: `writer ${winners[0]}` });
  });

  test('lets one of several through that expect the same file', async () => {
    const temporary = create({ content: { f: 'old' } });
    const expected = await present(temporary, 'f');
    const writes = Array.from({ length: 20 }, (_, index) =>
      index % 4 === 0
        ? temporary.files.remove('f', expected)
        : temporary.files.write('f', bytes(`writer ${index}`), { expect: expected }),
    );
    const settled = await Promise.allSettled(writes);
    const winners = settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(temporary.tree()).toEqual(winners[0]! % 4 === 0 ? {} : { f: `writer ${winners[0]}` });
    for (const result of settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
  });

  test('keeps the mode, sets the one that is asked for, drops set-user-id', async () => {
    const temporary = create({ content: { f: '1' } });
    const { files } = temporary;
    chmodSync(temporary.path('f'), 0o4751);
    expect((await files.write('f', bytes('2'), { expect: await present(temporary, 'f') })).mode).toBe(0o751);
    expect(statSync(temporary.path('f')).mode & 0o7777).toBe(0o751);
    const asked = await files.write('f', bytes('3'), { expect: await present(temporary, 'f'), mode: 0o600 });
    expect(asked.mode).toBe(0o600);
    const umask = process.umask(0o027);
    try {
      expect((await files.write('new', bytes(''), { expect: { kind: 'absent' } })).mode).toBe(0o640);
    } finally {
      process.umask(umask);
    }
    expect((await files.write('run', bytes(''), { expect: { kind: 'absent' }, mode: 0o777 })).mode).toBe(
      0o777,
    );
  });

  test('follows a link, unless the link is what is expected', async () => {
    const temporary = create({ content: { 'd/f': 'old' } });
    temporary.symlink('l', 'd/f');
    await temporary.files.write('l', bytes('new'), { expect: await present(temporary, 'l') });
    expect(temporary.tree()).toEqual({ 'd/f': 'new', l: '-> d/f' });
    await temporary.files.write('l', bytes('own'), { expect: { kind: 'symlink', target: 'd/f' } });
    expect(temporary.tree()).toEqual({ 'd/f': 'new', l: 'own' });
    expect((await temporary.files.lstat('l'))?.mode).toBe(0o666 & ~process.umask());
  });

  test('of what must be exactly there refuses a link on the way', async () => {
    const temporary = create({ content: { 'd/f': 'old' } });
    temporary.symlink('l', 'd');
    const expected = await present(temporary, 'd/f');
    const exact = (path: string) =>
      temporary.files.write(path, bytes('new'), { expect: expected, exactly: true });
    expect((await failure(exact(temporary.path('l/f')), temporary)).code).toBe('conflict');
    await exact(temporary.path('d/f'));
    expect(temporary.read('d/f')).toBe('new');
  });

  test('keeps other hard links seeing the file, longer or shorter', async () => {
    const temporary = create({ content: { one: 'old text' } });
    const { files } = temporary;
    linkSync(temporary.path('one'), temporary.path('two'));
    let notices = 0;
    const beforeInPlace = async () => void notices++;
    for (const text of ['longer than before', 'short', '']) {
      const stat = await files.write('one', bytes(text), {
        expect: await present(temporary, 'one'),
        beforeInPlace,
      });
      expect(stat.links).toBe(2);
      expect(temporary.tree()).toEqual({ one: text, two: text });
    }
    expect(notices).toBe(3);
    const conflict = files.write('one', bytes('x'), { expect: { kind: 'file', hash: 'no' }, beforeInPlace });
    expect((await failure(conflict, temporary)).code).toBe('conflict');
    expect(notices).toBe(3);
  });

  test('touches nothing before what must come first has been done, and nothing when that fails', async () => {
    const temporary = create({ content: { alone: 'old', one: 'old' } });
    linkSync(temporary.path('one'), temporary.path('two'));
    for (const name of ['alone', 'one']) {
      const expected = await present(temporary, name);
      const refused = sleep(20).then(() => Promise.reject(new Error('not now')));
      refused.catch(() => undefined);
      await expect(
        temporary.files.write(name, bytes('new'), { expect: expected, waitFor: refused }),
      ).rejects.toThrow('not now');
      expect(temporary.tree()).toMatchObject({ [name]: 'old' });
      let seen = '';
      const looking = sleep(20).then(() => void (seen = temporary.read(name)));
      await temporary.files.write(name, bytes('new'), { expect: expected, waitFor: looking });
      expect(seen).toBe('old');
    }
    expect(temporary.tree()).toEqual({ alone: 'new', one: 'new', two: 'new' });
  });

  test('shows others the old file or the new one, never a part', async () => {
    const version = (letter: string) => Buffer.alloc(3_000_000, letter);
    const temporary = create({ content: { f: version('a') } });
    let expected = await present(temporary, 'f');
    let looks = 0;
    for (const letter of ['b', 'a', 'b', 'a', 'b']) {
      let writing = true;
      const write = temporary.files
        .write('f', version(letter), { expect: expected })
        .finally(() => (writing = false));
      while (writing) {
        const seen = temporary.readBytes('f');
        expect(seen.equals(version('a')) || seen.equals(version('b'))).toBe(true);
        looks++;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await write;
      expected = await present(temporary, 'f');
    }
    expect(looks).toBeGreaterThan(5);
  });

  test('stops when it is cancelled, without a trace', async () => {
    const temporary = create({ content: { f: 'old' } });
    const expected = await present(temporary, 'f');
    const cancelled = AbortSignal.abort({ kind: 'user' });
    await expect(
      temporary.files.write('f', bytes('new'), { expect: expected, signal: cancelled }),
    ).rejects.toEqual({
      kind: 'user',
    });
    const controller = new AbortController();
    const write = temporary.files.write('f', Buffer.alloc(30_000_000), {
      expect: expected,
      signal: controller.signal,
    });
    controller.abort({ kind: 'timeout' });
    await expect(write).rejects.toEqual({ kind: 'timeout' });
    expect(temporary.tree()).toEqual({ f: 'old' });
  });

  test('uses the temporary name it is given, and takes nothing out of the way', async () => {
    const temporary = create({ content: { '.mine': 'in the way' } });
    const write = (temporaryName: string) =>
      temporary.files.write('f', bytes('new'), { expect: { kind: 'absent' }, temporaryName });
    expect(await failure(write('.mine'), temporary)).toEqual({
      code: 'failed',
      message: '.mine, a temporary file of an earlier run, is in the way. Remove it.',
    });
    expect(temporary.tree()).toEqual({ '.mine': 'in the way' });
    for (const name of ['a/b', '..', '', 'a\0']) await expect(write(name)).rejects.toThrow('not a file name');
    await write('.free');
    expect(readdirSync(temporary.directory).sort()).toEqual(['.mine', 'f']);
  });

  test('refuses a file whose folder is missing', async () => {
    const temporary = create();
    expect(
      await failure(temporary.files.write('no/ne', bytes(''), { expect: { kind: 'absent' } }), temporary),
    ).toEqual({
      code: 'not_found',
      message: 'no/ne does not exist. Its folder does not exist either.',
    });
  });
});

describe.each(bothWays)('what a change replaces, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('is saved as the same inode where that is safe', async () => {
    const temporary = create({ content: { f: 'old', g: 'gone', h: 'link' } });
    const saved = (name: string) => join(temporary.outside, name);
    const before = await temporary.files.stat('f');
    await temporary.files.write('f', bytes('new'), {
      expect: await present(temporary, 'f'),
      saveReplaced: saved('f'),
    });
    expect(statSync(saved('f'), { bigint: true }).ino).toBe(before?.inode);
    await temporary.files.remove('g', await present(temporary, 'g'), { saveReplaced: saved('g') });
    await temporary.files.makeSymlink('h', 'f', await present(temporary, 'h'), { saveReplaced: saved('h') });
    expect(temporary.tree()).toEqual({ f: 'new', h: '-> f' });
    expect(temporary.treeOf(temporary.outside)).toEqual({ f: 'old', g: 'gone', h: 'link' });
    expect((await temporary.files.stat('f'))?.links).toBe(1);
  });

  test('is copied when others share the inode that is written', async () => {
    const temporary = create({ content: { one: 'old' } });
    linkSync(temporary.path('one'), temporary.path('two'));
    const saveReplaced = join(temporary.outside, 'saved');
    await temporary.files.write('one', bytes('new text'), {
      expect: await present(temporary, 'one'),
      saveReplaced,
    });
    expect(temporary.tree()).toEqual({ one: 'new text', two: 'new text' });
    expect(temporary.treeOf(temporary.outside)).toEqual({ saved: 'old' });
  });

  test('is copied to another file system', async () => {
    const temporary = create({ content: { f: 'old' } });
    const shm = '/dev/shm';
    const saveReplaced = `${shm}/toolwright-${process.pid}-${way.way}`;
    if (statSync(shm).dev === statSync(temporary.directory).dev) {
      console.log('not tested: /dev/shm is the file system of the temporary folder');
      return;
    }
    await temporary.files.write('f', bytes('new'), { expect: await present(temporary, 'f'), saveReplaced });
    const other = create({ include: [{ path: shm, access: 'write' }] });
    expect(await other.files.readText(saveReplaced)).toBe('old');
    await other.files.remove(saveReplaced, await present(other, saveReplaced));
  });

  test('is replaced once, however long the saving takes', async () => {
    const temporary = create({ content: { f: 'old' } });
    const expected = await present(temporary, 'f');
    const folder = mkdtempSync('/dev/shm/toolwright-test-');
    try {
      const writes = Array.from({ length: 10 }, (_, index) =>
        temporary.files.write('f', bytes(`writer ${index}`), {
          expect: expected,
          saveReplaced: join(folder, String(index)),
        }),
      );
      const settled = await Promise.allSettled(writes);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const saved = Object.values(temporary.treeOf(folder));
      expect(saved.length).toBeGreaterThan(0);
      expect(new Set(saved)).toEqual(new Set(['old']));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('may have been saved already, but a different file in its place stops the change', async () => {
    const temporary = create({ content: { f: 'old' } });
    const saveReplaced = join(temporary.outside, 'saved');
    const change = async (text: string) =>
      temporary.files.write('f', bytes(text), { expect: await present(temporary, 'f'), saveReplaced });
    writeFileSync(saveReplaced, 'other');
    await expect(change('new')).rejects.toThrow('holds something else already');
    expect(temporary.tree()).toEqual({ f: 'old' });
    writeFileSync(saveReplaced, 'old');
    await change('new');
    expect(temporary.tree()).toEqual({ f: 'new' });
  });

  test('stays where it is when the change is refused', async () => {
    const temporary = create({ content: { f: 'old' } });
    const saveReplaced = join(temporary.outside, 'saved');
    const write = temporary.files.write('f', bytes('new'), {
      expect: { kind: 'file', hash: 'no' },
      saveReplaced,
    });
    expect((await failure(write, temporary)).code).toBe('conflict');
    symlinkSync('f', temporary.path('l'));
    await temporary.files.remove('l', { kind: 'symlink', target: 'f' }, { saveReplaced });
    expect(temporary.tree()).toEqual({ f: 'old' });
    expect(temporary.treeOf(temporary.outside)).toEqual({});
  });
});
