import { afterEach, expect, test } from 'vitest';
import { createTempWorkspace, type TempWorkspace } from '../../testing/temp-workspace.js';

let temporary: TempWorkspace | undefined;
afterEach(() => temporary?.cleanup());

test('reads, replaces, links, removes', async () => {
  temporary = createTempWorkspace({ content: { 'a/b.txt': 'one' } });
  const { files } = temporary;
  const { hash } = await files.read('a/b.txt');
  await files.write('a/b.txt', Buffer.from('two'), { expect: { kind: 'file', hash } });
  expect(temporary.tree()).toEqual({ 'a/b.txt': 'two' });
  await expect(files.write('a/b.txt', Buffer.from('x'), { expect: { kind: 'file', hash } })).rejects.toThrow(
    'is not what it was',
  );
  expect(await files.makeDirectory('x/y')).toEqual([temporary.path('x'), temporary.path('x/y')]);
  await files.write('x/y/new', Buffer.from('n'), { expect: { kind: 'absent' } });
  await files.makeSymlink('l', 'x/y/new', { kind: 'absent' });
  expect(await files.readText('l')).toBe('n');
  expect((await files.list('.')).map((e) => e.name)).toEqual(['a', 'l', 'x']);
  await files.remove('l', { kind: 'symlink', target: 'x/y/new' });
  expect(temporary.tree()).toEqual({ 'a/b.txt': 'two', 'x/y/new': 'n' });
});
