import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createFixedIds } from '../../testing/fakes.js';
import { createWorkspace } from '../workspace.js';
import { createFiles } from './create-files.js';
import { bothWays, failure, temporaryWorkspaces } from './fixtures/both-ways.js';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('device nodes are not tested: only root can make them');

describe.each(bothWays)('only regular files, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('a named pipe is refused without waiting for its other end', async () => {
    const temporary = create();
    execFileSync('mkfifo', [temporary.path('pipe')]);
    const refused = {
      code: 'failed',
      message: 'pipe is a named pipe, not a regular file; it was not opened.',
    };
    expect(await failure(temporary.files.read('pipe'), temporary)).toEqual(refused);
    expect(await failure(temporary.files.open('pipe'), temporary)).toEqual(refused);
    expect((await temporary.files.stat('pipe'))?.kind).toBe('other');
    const write = temporary.files.write('pipe', Buffer.from('x'), { expect: { kind: 'absent' } });
    expect(await failure(write, temporary)).toEqual({
      code: 'conflict',
      message:
        'pipe is not what it was: expected no file, found a pipe, socket or device. ' +
        'Nothing was changed there. Read it again, then repeat the change.',
    });
    expect(readdirSync(temporary.directory)).toEqual(['pipe']);
  });

  test('a socket is not opened', async () => {
    const temporary = create();
    const server = createServer().listen(temporary.path('socket'));
    try {
      expect(await failure(temporary.files.read('socket'), temporary)).toEqual({
        code: 'failed',
        message: 'socket is a socket, not a regular file; it was not opened.',
      });
    } finally {
      server.close();
    }
  });

  test.runIf(isRoot)('a device is not opened', async () => {
    const temporary = create();
    execFileSync('mknod', [temporary.path('zero'), 'c', '1', '5']);
    expect(await failure(temporary.files.read('zero'), temporary)).toEqual({
      code: 'failed',
      message: 'zero is a device, not a regular file; it was not opened.',
    });
  });

  test('a folder is not a file and a file is not a folder', async () => {
    const temporary = create({ content: { 'd/f': '' } });
    const { files } = temporary;
    expect(await failure(files.read('d'), temporary)).toEqual({
      code: 'failed',
      message: 'd is a folder, not a file.',
    });
    expect(await failure(files.list('d/f'), temporary)).toEqual({
      code: 'failed',
      message: 'd/f is not a folder.',
    });
    expect(await failure(files.makeDirectory('d/f/x'), temporary)).toEqual({
      code: 'failed',
      message: 'd/f is not a folder.',
    });
    expect(await failure(files.readLink('d'), temporary)).toEqual({
      code: 'failed',
      message: 'd is not a link.',
    });
    const onFolder = { code: 'conflict' };
    const expected = { kind: 'file', hash: 'x'.repeat(64) } as const;
    expect(await failure(files.write('d', Buffer.from(''), { expect: expected }), temporary)).toMatchObject(
      onFolder,
    );
    expect(await failure(files.remove('d', expected), temporary)).toMatchObject(onFolder);
    expect(await failure(files.makeSymlink('d', 'x', { kind: 'absent' }), temporary)).toMatchObject(onFolder);
    expect(temporary.tree()).toEqual({ 'd/f': '' });
  });

  test('links to pipes, devices and /proc lead outside', async () => {
    const temporary = create();
    for (const target of [
      '/dev/zero',
      '/proc/self/environ',
      '/proc/self/cwd/x',
      '/proc/self/fd/0',
      '/dev/stdin',
    ]) {
      temporary.symlink('link', target);
      expect((await failure(temporary.files.read('link'), temporary)).code, target).toBe('outside_workspace');
      await temporary.files.remove('link', { kind: 'symlink', target });
    }
  });

  test.runIf(process.platform === 'linux')(
    'files of /proc and /sys are refused even where the root holds them',
    async () => {
      const workspace = createWorkspace({ directory: '/' });
      const files = createFiles(workspace, { ids: createFixedIds(), access: way.access });
      const where = { directory: '//', outside: '//' };
      expect(await failure(files.read('/proc/self/environ'), where)).toMatchObject({
        code: 'failed',
        message: "proc/self/environ is part of the kernel's interface (/proc), not a file on disk.",
      });
      expect((await failure(files.read('/proc/self/mem'), where)).code).toBe('failed');
      expect((await failure(files.read('/sys/kernel/mm/transparent_hugepage/enabled'), where)).code).toBe(
        'failed',
      );
      expect((await failure(files.read('/proc/self/fd/0'), where)).code).not.toBe('outside_workspace');
      expect((await files.stat('/'))?.kind).toBe('directory');
      expect((await files.list('/')).map(({ name }) => name)).toContain('proc');
    },
  );
});

describe.each(bothWays)('unusual names, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('with line breaks, blanks, quotes and emoji work like others', async () => {
    const names = [
      'a\nb',
      ' ',
      '"',
      "'",
      '\\',
      '-rf',
      '\u202e',
      '🙂',
      '~',
      '...',
      '\u00e9',
      'e\u0301',
      '\ufffd',
      'x (deleted)',
    ];
    const temporary = create();
    for (const name of names) {
      await temporary.files.makeDirectory(`./${name}`);
      await temporary.files.write(`./${name}/${name}`, Buffer.from(name), { expect: { kind: 'absent' } });
      expect(await temporary.files.readText(`./${name}/${name}`)).toBe(name);
    }
    const listed = await temporary.files.list('.');
    expect(listed.map(({ name }) => name)).toEqual([...names].sort());
    expect(listed.every(({ nameIsUtf8 }) => nameIsUtf8)).toBe(true);
  });

  test('stay on one line in messages', async () => {
    const temporary = create();
    expect(await failure(temporary.files.read('a\nb'), temporary)).toEqual({
      code: 'not_found',
      message: '"a\\nb" does not exist.',
    });
  });

  test('that are not UTF-8 are listed with their bytes shown and can not be opened', async () => {
    const temporary = create({ content: { 'caf\\xe9': 'literal' } });
    const bytes = (name: number[]) =>
      Buffer.concat([Buffer.from(`${temporary.directory}/`), Buffer.from(name)]);
    writeFileSync(bytes([0x63, 0x61, 0x66, 0xe9]), '12345');
    mkdirSync(bytes([0xff, 0x0a]));
    expect(await temporary.files.list('.')).toMatchObject([
      { name: '\\xff\\x0a', nameIsUtf8: false, kind: 'directory' },
      { name: 'caf\\xe9', nameIsUtf8: true, kind: 'file', size: 7 },
      { name: 'caf\\xe9', nameIsUtf8: false, kind: 'file', size: 5 },
    ]);
    expect(await temporary.files.readText('caf\\xe9')).toBe('literal');
    expect((await failure(temporary.files.list('\\xff\\x0a'), temporary)).code).toBe('not_found');
  });

  test('that are very long or very deep work up to the limit of the system', async () => {
    const temporary = create();
    const long = 'n'.repeat(255);
    await temporary.files.write(long, Buffer.from('long'), { expect: { kind: 'absent' } });
    expect(await temporary.files.readText(long)).toBe('long');
    const count = Math.floor((4095 - temporary.directory.length - 60) / 40);
    const deep = `${'d'.repeat(39)}/`.repeat(count);
    expect(await temporary.files.makeDirectory(deep)).toHaveLength(count);
    await temporary.files.write(`${deep}f`, Buffer.from('deep'), { expect: { kind: 'absent' } });
    expect(await temporary.files.readText(`${deep}f`)).toBe('deep');
    expect((await failure(temporary.files.read(`${deep}${'d'.repeat(100)}`), temporary)).code).toBe(
      'invalid_params',
    );
    expect((await failure(temporary.files.read('n'.repeat(256)), temporary)).code).toBe('invalid_params');
  });
});
