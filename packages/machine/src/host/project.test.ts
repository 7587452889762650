import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createTempWorkspace, type TempWorkspace } from '../testing/temp-workspace.js';
import { openProject } from './project.js';
import { createWorkspace } from './workspace.js';

let temporary: TempWorkspace;

afterEach(() => temporary.cleanup());

async function projectOf(folder: string, home = '/nowhere') {
  const workspace = createWorkspace({ directory: temporary.path(folder) });
  return openProject({ workspace, ids: temporary.ids, home });
}

function make(content: Record<string, string>): TempWorkspace {
  temporary = createTempWorkspace({ content });
  return temporary;
}

describe('the project root', () => {
  test('is the nearest folder upward with a .git, folder or file', async () => {
    const { path } = make({ '.git/HEAD': '', 'sub/.git': 'gitdir: x', 'sub/a/b/f': '', 'other/f': '' });
    expect((await projectOf('sub/a/b')).root).toBe(path('sub'));
    expect((await projectOf('other')).root).toBe(path());
  });

  test('is the workspace when there is none, and its door asks the rules of what is read unasked', async () => {
    make({ 'a/b/f': '', 'a/b/g': '' });
    const workspace = createWorkspace({ directory: temporary.path('a/b') });
    const policy = (_: string, path: string) => (path.endsWith('/f') ? 'Not without a question.' : null);
    const { root, files } = await openProject({ workspace, ids: temporary.ids, policy, home: '/nowhere' });
    expect(root).toBe(temporary.path('a/b'));
    await expect(files.open(temporary.path('a/b/f'))).rejects.toThrow('Not without a question.');
    await (await files.open(temporary.path('a/b/g'))).close();
  });

  test('is never the home directory or a folder around it, unless that is the workspace', async () => {
    const { path } = make({ '.git/HEAD': '', 'home/.git/HEAD': '', 'home/work/f': '' });
    expect((await projectOf('home/work', path('home'))).root).toBe(path('home/work'));
    expect((await projectOf('home', path('home'))).root).toBe(path('home'));
  });

  test('is never a folder of someone else', async (context) => {
    if (process.geteuid?.() !== 0) context.skip('only root can give a folder away');
    const { path } = make({ 'shared/.git/HEAD': '', 'shared/mine/f': '' });
    chownSync(path('shared'), 4242, 4242);
    expect((await projectOf('shared/mine')).root).toBe(path('shared/mine'));
    chownSync(path('shared'), 0, 0);
    chownSync(path('shared/.git'), 4242, 4242);
    expect((await projectOf('shared/mine')).root).toBe(path('shared/mine'));
    chownSync(path('shared/mine'), 4242, 4242);
    expect((await projectOf('shared/mine')).root).toBe(path('shared'));
  });
});

test('what lies above the workspace is read inside the project only', async () => {
  const { path, symlink, outside } = make({ '.git/HEAD': '', 'top.md': 'top', 'a/f': '' });
  symlink('link.md', join(outside, 'secret.md'));
  const { files } = await projectOf('a');
  const file = await files.open(path('top.md'));
  expect(Buffer.from(await file.read(0, 10)).toString()).toBe('top');
  await file.close();
  await expect(files.open(path('link.md'))).rejects.toMatchObject({ code: 'outside_workspace' });
  await expect(files.open(join(outside, 'x'))).rejects.toMatchObject({ code: 'outside_workspace' });
});
