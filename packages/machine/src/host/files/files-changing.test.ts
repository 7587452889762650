import { chmodSync, chownSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createTempWorkspace, type TempWorkspace } from '../../testing/temp-workspace.js';
import { descriptorDirectories } from '../platform/directory-access.js';
import type { Expected } from './files.js';
import { bothWays, failure, temporaryWorkspaces } from './fixtures/both-ways.js';

const bytes = (text: string) => Buffer.from(text);

async function present({ files }: TempWorkspace, path: string): Promise<Expected> {
  return { kind: 'file', hash: (await files.read(path)).hash };
}

describe.each(bothWays)('removing, linking, modes and folders, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('remove takes only what is expected', async () => {
    const temporary = create({ content: { f: 'text', 'd/x': '' } });
    const { files } = temporary;
    temporary.symlink('l', 'f');
    for (const [path, expected] of [
      ['f', { kind: 'file', hash: 'no' }],
      ['f', { kind: 'absent' }],
      ['l', await present(temporary, 'f')],
      ['l', { kind: 'symlink', target: 'x' }],
      ['d', { kind: 'file', hash: 'no' }],
      ['none', { kind: 'file', hash: 'no' }],
    ] as [string, Expected][]) {
      expect((await failure(files.remove(path, expected), temporary)).code, path).toBe('conflict');
    }
    expect((await failure(files.remove('d', { kind: 'directory' }), temporary)).code).toBe('failed');
    await files.remove('l', { kind: 'symlink', target: 'f' });
    await files.remove('f', await present(temporary, 'f'));
    await files.remove('f', { kind: 'absent' });
    await files.remove('no/where', { kind: 'absent' });
    expect(temporary.tree()).toEqual({ 'd/x': '' });
  });

  test('links are made where nothing is, and replace what is expected', async () => {
    const temporary = create({ content: { f: 'text' } });
    const { files } = temporary;
    await files.makeSymlink('l', '/anywhere at all', { kind: 'absent' });
    expect((await failure(files.makeSymlink('l', 'x', { kind: 'absent' }), temporary)).code).toBe('conflict');
    await files.makeSymlink('l', 'f', { kind: 'symlink', target: '/anywhere at all' });
    await files.makeSymlink('f', 'other', await present(temporary, 'f'));
    expect(temporary.tree()).toEqual({ f: '-> other', l: '-> f' });
    for (const target of ['', 'a\0b']) {
      expect((await failure(files.makeSymlink('n', target, { kind: 'absent' }), temporary)).code).toBe(
        'invalid_params',
      );
    }
    expect((await failure(files.makeSymlink('no/ne', 'x', { kind: 'absent' }), temporary)).code).toBe(
      'not_found',
    );
  });

  test('modes are set on the expected file or folder only', async () => {
    const temporary = create({ content: { f: 'text', 'd/x': '' } });
    const { files } = temporary;
    await files.setMode('f', 0o755, await present(temporary, 'f'));
    expect((await files.stat('f'))?.mode).toBe(0o755);
    expect((await failure(files.setMode('f', 0o600, { kind: 'file', hash: 'no' }), temporary)).code).toBe(
      'conflict',
    );
    chmodSync(temporary.path('d'), 0o2755);
    await files.setMode('d', 0o700, { kind: 'directory', mode: 0o755 });
    expect(statSync(temporary.path('d')).mode & 0o7777).toBe(0o2700);
    expect(
      (await failure(files.setMode('d', 0o777, { kind: 'directory', mode: 0o755 }), temporary)).code,
    ).toBe('conflict');
    expect((await failure(files.setMode('none', 0o777, { kind: 'directory' }), temporary)).code).toBe(
      'conflict',
    );
  });

  test('folders are made as needed and removed only when empty', async () => {
    const temporary = create({ content: { f: '' } });
    const { files } = temporary;
    expect(await files.makeDirectory('a/b/c')).toEqual(
      ['a', 'a/b', 'a/b/c'].map((path) => temporary.path(path)),
    );
    expect(await files.makeDirectory('a/b')).toEqual([]);
    expect(await files.makeDirectory('a/x')).toEqual([temporary.path('a/x')]);
    expect(await files.makeDirectory('.')).toEqual([]);
    expect((await failure(files.makeDirectory('f'), temporary)).code).toBe('failed');
    expect(await files.removeEmptyDirectory('a/b')).toBe(false);
    expect(await files.removeEmptyDirectory('a/b/c')).toBe(true);
    expect(await files.removeEmptyDirectory('a/b/c')).toBe(false);
    expect((await failure(files.removeEmptyDirectory('f'), temporary)).code).toBe('failed');
    expect(temporary.tree()).toEqual({ 'a/b': null, 'a/x': null, f: '' });
  });

  test('folders made by several at once are each made once', async () => {
    const temporary = create();
    const made = await Promise.all(
      Array.from({ length: 10 }, () => temporary.files.makeDirectory('a/b/c/d')),
    );
    expect(made.flat().sort()).toEqual(['a', 'a/b', 'a/b/c', 'a/b/c/d'].map((path) => temporary.path(path)));
  });

  test('a root itself is neither removed nor replaced', async () => {
    const temporary = create();
    const message = '. is a folder this session works in; it stays as it is.';
    for (const call of [
      () => temporary.files.removeEmptyDirectory('.'),
      () => temporary.files.setMode('.', 0o777, { kind: 'directory' }),
      () => temporary.files.remove(temporary.directory, { kind: 'absent' }),
    ]) {
      expect(await failure(call(), temporary)).toEqual({ code: 'denied', message });
    }
  });
});

describe.each(bothWays)('rules, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('are asked about the real path for every access to content and every change', async () => {
    const asked: string[] = [];
    const temporary: TempWorkspace = create({
      content: { 'real/f': 'text' },
      policy: (access, path) => {
        asked.push(`${access} ${path.slice(temporary.directory.length + 1)}`);
        return null;
      },
    });
    temporary.symlink('l', 'real');
    const { files } = temporary;
    const { hash } = await files.read('l/f');
    await (await files.open('l/f')).close();
    await files.readText('l/f');
    await files.write('l/f', bytes('x'), { expect: { kind: 'file', hash } });
    await files.makeDirectory('l/d/e');
    await files.makeSymlink('l/s', 'x', { kind: 'absent' });
    await files.remove('l/s', { kind: 'symlink', target: 'x' });
    await files.setMode('l/f', 0o600, await present(temporary, 'l/f'));
    await files.removeEmptyDirectory('l/d/e');
    const read = 'read real/f';
    expect(asked).toEqual([
      ...[read, read, read, 'write real/f', 'write real/d/e', 'write real/s', 'write real/s', read],
      ...['write real/f', 'write real/d/e'],
    ]);
    asked.length = 0;
    await Promise.all([
      files.stat('l/f'),
      files.lstat('l'),
      files.list('l'),
      files.realPath('l'),
      files.readLink('l'),
    ]);
    expect(asked).toEqual([]);
  });

  test('refuse with their reason; what is refused is still listed', async () => {
    const temporary = create({
      content: { 'a.env': 'secret', b: '' },
      policy: (access, path) =>
        path.endsWith('.env') ? `${access} of .env files is denied by a rule.` : null,
    });
    temporary.symlink('harmless', 'a.env');
    const { files } = temporary;
    expect((await files.list('.')).map(({ name }) => name)).toEqual(['a.env', 'b', 'harmless']);
    expect((await files.stat('a.env'))?.size).toBe(6);
    const denied = (access: string) => ({
      code: 'denied',
      message: `${access} of .env files is denied by a rule.`,
    });
    expect(await failure(files.read('harmless'), temporary)).toEqual(denied('read'));
    expect(await failure(files.open('a.env'), temporary)).toEqual(denied('read'));
    const write = files.write('harmless', bytes('x'), { expect: { kind: 'absent' } });
    expect(await failure(write, temporary)).toEqual(denied('write'));
    expect(await failure(files.makeDirectory('x/y.env'), temporary)).toEqual(denied('write'));
    expect(temporary.tree()).toEqual({ 'a.env': 'secret', b: '', harmless: '-> a.env' });
  });

  test('keep read-only roots as they are, also inside a writable one', async () => {
    const library = create({ content: { f: 'text' } });
    const temporary = create({
      content: { 'vendor/f': 'text' },
      include: [{ path: library.directory, access: 'read' }],
    });
    temporary.workspace.addReadOnlyRoot('vendor');
    const { files } = temporary;
    for (const folder of [library.directory, temporary.path('vendor')]) {
      const file = `${folder}/f`;
      const expected = await present(temporary, file);
      for (const call of [
        () => files.write(file, bytes('x'), { expect: expected }),
        () => files.remove(file, expected),
        () => files.setMode(file, 0o777, expected),
        () => files.makeSymlink(`${folder}/l`, 'f', { kind: 'absent' }),
        () => files.makeDirectory(`${folder}/d`),
      ]) {
        const { code, message } = await failure(call(), temporary);
        expect(code).toBe('denied');
        expect(message).toMatch(/ is in .*, which this session may only read\.$/);
      }
    }
    expect(library.tree()).toEqual({ f: 'text' });
    expect(temporary.tree()).toEqual({ 'vendor/f': 'text' });
  });
});

test('rules are asked again when a folder moves while a change is prepared', async () => {
  const asked: string[] = [];
  await using temporary: TempWorkspace = createTempWorkspace({
    access: descriptorDirectories,
    content: { 'plain/f': 'text' },
    policy: (access, path) => {
      if (access === 'write') asked.push(path.slice(temporary.directory.length + 1));
      return path.includes('.git') ? 'protected' : null;
    },
  });
  const expected = await present(temporary, 'plain/f');
  const write = temporary.files.write('plain/f', bytes('evil'), { expect: expected });
  renameSync(temporary.path('plain'), temporary.path('.git'));
  expect(await failure(write, temporary)).toEqual({ code: 'denied', message: 'protected' });
  expect(asked).toEqual(['plain/f', '.git/f']);
  expect(temporary.tree()).toEqual({ '.git/f': 'text' });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('files of other owners are not tested: only root can make them');

describe.runIf(isRoot).each(bothWays)('files of other owners, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);
  const someone = 54_321;

  /** Acts as an ordinary user, who may enter the workspace. */
  async function asUser<T>(temporary: TempWorkspace, act: () => Promise<T>): Promise<T> {
    chmodSync(temporary.path('..'), 0o755);
    process.setegid?.(someone);
    process.seteuid?.(someone);
    try {
      return await act();
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  }

  test('keep their owner when root writes them', async () => {
    const temporary = create({ content: { f: 'old' } });
    chownSync(temporary.path('f'), someone, someone);
    await temporary.files.write('f', bytes('new'), { expect: await present(temporary, 'f') });
    expect(statSync(temporary.path('f'))).toMatchObject({ uid: someone, gid: someone });
  });

  test('are written in place by others who may write them, and refused to those who may not', async () => {
    const temporary = create({
      content: { 'open/shared': 'old', 'open/private': 'old', 'closed/shared': 'old' },
    });
    const { files } = temporary;
    chmodSync(temporary.path('open'), 0o777);
    chmodSync(temporary.path('open/shared'), 0o666);
    chmodSync(temporary.path('closed/shared'), 0o666);
    await asUser(temporary, async () => {
      await files.write('open/shared', bytes('new'), { expect: await present(temporary, 'open/shared') });
      await files.write('closed/shared', bytes('new'), { expect: await present(temporary, 'closed/shared') });
      const refused = files.write('open/private', bytes('new'), {
        expect: await present(temporary, 'open/private'),
      });
      expect(await failure(refused, temporary)).toEqual({
        code: 'denied',
        message: "Can't open open/private: the operating system does not permit it.",
      });
      const created = files.write('closed/new', bytes('new'), { expect: { kind: 'absent' } });
      expect((await failure(created, temporary)).code).toBe('denied');
    });
    expect(temporary.tree()).toEqual({ 'open/shared': 'new', 'open/private': 'old', 'closed/shared': 'new' });
    expect(statSync(temporary.path('open/shared')).uid).toBe(0);
  });

  test('that may not be read or entered say so', async () => {
    const temporary = create({ content: { secret: '', 'shut/f': '' } });
    chmodSync(temporary.path('secret'), 0o600);
    chmodSync(temporary.path('shut'), 0o700);
    writeFileSync(`${temporary.outside}/x`, '');
    chmodSync(temporary.outside, 0o700);
    temporary.symlink('out', `${temporary.outside}/x`);
    await asUser(temporary, async () => {
      expect((await failure(temporary.files.read('secret'), temporary)).code).toBe('denied');
      expect(await failure(temporary.files.read('shut/f'), temporary)).toEqual({
        code: 'denied',
        message: "Can't find shut/f: the operating system does not permit it.",
      });
      expect((await failure(temporary.files.read('out'), temporary)).code).toBe('outside_workspace');
    });
  });
});
