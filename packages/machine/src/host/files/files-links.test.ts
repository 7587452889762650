import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bothWays, failure, temporaryWorkspaces } from './fixtures/both-ways.js';

const outsideMessage = (path: string, leadsTo: string) =>
  `${path} is a link that leads to ${leadsTo}, outside the folders this session may use: <workspace>. ` +
  'Use a path inside them; the user can add a folder by starting with --include-directories <folder>.';

describe.each(bothWays)('links, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('inside the workspace are followed: relative, absolute, to folders, to links, up and down', async () => {
    const temporary = create({ content: { 'a/b/file.txt': 'text', 'c/other.txt': 'other' } });
    temporary.symlink('relative', 'a/b/file.txt');
    temporary.symlink('absolute', temporary.path('a/b/file.txt'));
    temporary.symlink('folder', 'a/b');
    temporary.symlink('again', 'folder/file.txt');
    temporary.symlink('a/b/up', '../../c/other.txt');
    temporary.symlink('a/b/around', `../../../${basename(temporary.directory)}/c/./other.txt`);
    temporary.symlink('a/here', '.');
    temporary.symlink('parent', 'a/b/..');
    const read = (path: string) => temporary.files.readText(path);
    for (const path of [
      'relative',
      'absolute',
      'folder/file.txt',
      'again',
      'a/here/b/file.txt',
      'parent/b/file.txt',
    ]) {
      expect(await read(path), path).toBe('text');
    }
    expect(await read('folder/up')).toBe('other');
    expect(await read('folder/around')).toBe('other');
    expect(await temporary.files.realPath('again')).toBe(temporary.path('a/b/file.txt'));
    expect(await temporary.files.realPath('parent')).toBe(temporary.path('a'));
    expect((await temporary.files.list('folder')).map(({ name }) => name)).toEqual([
      'around',
      'file.txt',
      'up',
    ]);
    expect((await temporary.files.stat('folder'))?.kind).toBe('directory');
    expect((await temporary.files.lstat('folder'))?.kind).toBe('symlink');
    expect(await temporary.files.readLink('folder')).toBe('a/b');
  });

  test('that leave the workspace are refused for every operation, wherever on the path they are', async () => {
    const temporary = create();
    const { files, outside } = temporary;
    writeFileSync(join(outside, 'secret'), 'secret');
    temporary.symlink('file', join(outside, 'secret'));
    temporary.symlink('folder', outside);
    temporary.symlink('relative', '../outside/secret');
    temporary.symlink('indirect', 'folder/secret');
    temporary.symlink('missing', join(outside, 'missing/deep'));
    temporary.symlink('forbidden', '/root/../etc/shadow');
    const refused = { code: 'outside_workspace', message: outsideMessage('file', '<outside>/secret') };
    expect(await failure(files.read('file'), temporary)).toEqual(refused);
    for (const path of [
      'folder/secret',
      'relative',
      'indirect',
      'missing',
      'folder',
      'folder/new',
      'forbidden',
    ]) {
      const calls = [
        files.stat(path),
        files.open(path),
        files.readText(path),
        files.list(path),
        files.realPath(path),
        files.makeDirectory(`${path}/x`),
        files.write(path, Buffer.from('x'), { expect: { kind: 'absent' } }),
        files.setMode(path, 0o600, { kind: 'file', hash: '' }),
        files.remove(`${path}/secret`, { kind: 'file', hash: '' }),
        files.makeSymlink(`${path}/new`, 'x', { kind: 'absent' }),
        files.removeEmptyDirectory(`${path}/secret`),
      ];
      const failures = await Promise.all(calls.map((call) => failure(call, temporary)));
      expect(new Set(failures.map(({ code }) => code)), path).toEqual(new Set(['outside_workspace']));
    }
    expect(temporary.treeOf(outside)).toEqual({ secret: 'secret' });
  });

  test('that leave the workspace can be looked at and removed themselves', async () => {
    const temporary = create();
    temporary.symlink('out', temporary.outside);
    expect((await temporary.files.lstat('out'))?.kind).toBe('symlink');
    expect(await temporary.files.readLink('out')).toBe(temporary.outside);
    await temporary.files.remove('out', { kind: 'symlink', target: temporary.outside });
    expect(temporary.tree()).toEqual({});
  });

  test('into another root are followed under the rules of that root', async () => {
    const library = create({ content: { 'a.txt': 'library' } });
    const temporary = create({ include: [{ path: library.directory, access: 'read' }] });
    temporary.symlink('lib', library.directory);
    expect(await temporary.files.readText('lib/a.txt')).toBe('library');
    const { hash } = await temporary.files.read('lib/a.txt');
    const write = temporary.files.write('lib/a.txt', Buffer.from('x'), { expect: { kind: 'file', hash } });
    expect((await failure(write, temporary)).code).toBe('denied');
    expect(library.tree()).toEqual({ 'a.txt': 'library' });
  });

  test('that dangle are missing for a reader and made good by a writer', async () => {
    const temporary = create({ content: { 'd/x': '' } });
    const { files } = temporary;
    temporary.symlink('dangling', 'd/target');
    temporary.symlink('deep', 'no/where/target');
    expect(await files.stat('dangling')).toBeNull();
    expect(await files.realPath('dangling')).toBe(temporary.path('d/target'));
    expect(await files.realPath('deep')).toBe(temporary.path('no/where/target'));
    expect(await failure(files.read('dangling'), temporary)).toEqual({
      code: 'not_found',
      message: 'dangling leads through a link to d/target, which does not exist.',
    });
    await files.write('dangling', Buffer.from('made'), { expect: { kind: 'absent' } });
    expect(temporary.tree()).toEqual({
      'd/target': 'made',
      'd/x': '',
      dangling: '-> d/target',
      deep: '-> no/where/target',
    });
    const write = files.write('deep', Buffer.from('x'), { expect: { kind: 'absent' } });
    expect((await failure(write, temporary)).code).toBe('not_found');
    expect(await files.makeDirectory('deep')).toEqual(
      ['no', 'no/where', 'no/where/target'].map((name) => temporary.path(name)),
    );
  });

  test('in a loop, in too long a chain, or through a file end with a message', async () => {
    const temporary = create({ content: { l0: 'end', file: '' } });
    const { files } = temporary;
    temporary.symlink('self', 'self');
    temporary.symlink('x', 'y');
    temporary.symlink('y', 'x');
    temporary.symlink('odd', 'missing/../file');
    for (let link = 1; link <= 41; link++) temporary.symlink(`l${link}`, `l${link - 1}`);
    const loop = {
      code: 'failed',
      message: 'self goes through more than 40 links, so it is probably a loop.',
    };
    expect(await failure(files.read('self'), temporary)).toEqual(loop);
    expect((await failure(files.stat('x/z'), temporary)).code).toBe('failed');
    expect(await files.readText('l40')).toBe('end');
    expect((await failure(files.read('l41'), temporary)).code).toBe('failed');
    expect((await failure(files.read('odd'), temporary)).code).toBe('not_found');
    expect(await failure(files.read('file/below'), temporary)).toEqual({
      code: 'not_found',
      message: 'file/below does not exist: file is not a folder.',
    });
    expect(await files.stat('file/below')).toBeNull();
  });

  test('to names that are not UTF-8 are refused', async () => {
    const temporary = create();
    symlinkSync(Buffer.from([0x66, 0xff]), temporary.path('bytes'));
    expect(await failure(temporary.files.read('bytes'), temporary)).toEqual({
      code: 'failed',
      message: "bytes is a link to a name that is not UTF-8, which can't be opened here.",
    });
  });

  test('which are hard ones are ordinary files that say how many names they have', async () => {
    const temporary = create({ content: { one: 'text' } });
    linkSync(temporary.path('one'), temporary.path('two'));
    expect((await temporary.files.stat('two'))?.links).toBe(2);
    expect(await temporary.files.readText('two')).toBe('text');
  });

  test('on the way into the workspace do no harm: the root is where it really is', async () => {
    const temporary = create({ content: { 'a.txt': 'text' } });
    const alias = join(temporary.outside, 'alias');
    symlinkSync(temporary.directory, alias);
    temporary.symlink('through', join(alias, 'a.txt'));
    expect(await temporary.files.readText('through')).toBe('text');
  });
});
