import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isToolError, SettingsError, type ToolErrorCode } from '../base/errors.js';
import { createWorkspace, isInside, pathFromHome, type SessionWorkspace } from './workspace.js';

let base: string;
let workspace: SessionWorkspace;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-workspace-')));
  for (const name of ['work', 'work-old', 'library', 'output']) mkdirSync(join(base, name));
  mkdirSync(join(base, 'work', 'vendor'));
  symlinkSync('work', join(base, 'alias'));
  writeFileSync(join(base, 'file'), '');
  workspace = createWorkspace({
    directory: join(base, 'alias'),
    include: [
      { path: '../library', access: 'read' },
      { path: 'vendor', access: 'read' },
    ],
  });
});

afterAll(() => rmSync(base, { recursive: true }));

function refusal(path: string): { code: ToolErrorCode; message: string } {
  try {
    workspace.resolve(path);
  } catch (error) {
    if (isToolError(error)) return { code: error.code, message: error.message.replaceAll(base, '') };
    throw error;
  }
  throw new Error(`${path} was accepted`);
}

describe('roots', () => {
  test('whose names are not UTF-8 are refused, and one with the sign for such bytes in its name is not', () => {
    const bytes = Buffer.concat([Buffer.from(join(base, 'name-')), Buffer.from([0xff])]);
    mkdirSync(bytes);
    symlinkSync(bytes, join(base, 'bytes'));
    expect(() => createWorkspace({ directory: join(base, 'bytes') })).toThrow('is not UTF-8.');
    const sign = join(base, 'name-\uFFFD');
    mkdirSync(sign);
    expect(createWorkspace({ directory: sign }).directory).toBe(sign);
  });

  test('are real folders, the first one writable', () => {
    expect(workspace.directory).toBe(join(base, 'work'));
    expect(workspace.roots.map(({ path, access }) => [path, access])).toEqual([
      [join(base, 'work'), 'write'],
      [join(base, 'library'), 'read'],
      [join(base, 'work/vendor'), 'read'],
    ]);
  });

  test('that do not exist or are files are a mistake of the user', () => {
    expect(() => createWorkspace({ directory: join(base, 'nowhere') })).toThrow(SettingsError);
    expect(() => createWorkspace({ directory: join(base, 'file') })).toThrow('is not a folder');
    const include = [{ path: join(base, 'nowhere'), access: 'write' as const }];
    expect(() => createWorkspace({ directory: base, include })).toThrow("nowhere can't be used");
  });

  test('can be added later for reading, once', () => {
    const session = createWorkspace({ directory: join(base, 'work') });
    expect(() => session.resolve(join(base, 'output/a'))).toThrow();
    const root = session.addReadOnlyRoot(join(base, 'output'));
    expect(root).toMatchObject({ path: join(base, 'output'), access: 'read' });
    session.addReadOnlyRoot(join(base, 'output'));
    expect(session.roots).toHaveLength(2);
    expect(session.resolve(join(base, 'output/a'))).toBe(join(base, 'output/a'));
    expect(session.addReadOnlyRoot(join(base, 'work')).access).toBe('write');
  });

  test('contain by whole segments, the innermost counts', () => {
    expect(isInside('/work-old', '/work')).toBe(false);
    expect(isInside('/work', '/work')).toBe(true);
    expect(isInside('/work/a', '/')).toBe(true);
    expect(workspace.rootOf(join(base, 'work-old/a'))).toBeUndefined();
    expect(workspace.rootOf(join(base, 'work/vendor/a'))?.access).toBe('read');
    expect(workspace.rootOf(join(base, 'work/vendors/a'))?.access).toBe('write');
  });
});

describe('resolve', () => {
  test.each([
    ['.', 'work'],
    ['a/b.txt', 'work/a/b.txt'],
    ['a/../b', 'work/b'],
    ['./a//b/', 'work/a/b'],
    ['../library/x', 'library/x'],
    ['./~/x', 'work/~/x'],
    ['~x', 'work/~x'],
    ['..a', 'work/..a'],
    ['a\nb', 'work/a\nb'],
  ])('takes %j relative to the workspace', (path, expected) => {
    expect(workspace.resolve(path)).toBe(join(base, expected));
  });

  test('takes absolute paths, also by the spelling a root was given in', () => {
    expect(workspace.resolve(join(base, 'work/a'))).toBe(join(base, 'work/a'));
    expect(workspace.resolve(join(base, 'alias/a'))).toBe(join(base, 'work/a'));
    expect(workspace.resolve(join(base, 'alias'))).toBe(join(base, 'work'));
    expect(workspace.resolve(join(base, 'work-old/../library/a'))).toBe(join(base, 'library/a'));
  });

  test('names the roots and the way to widen them for a path outside', () => {
    expect(refusal('../secret')).toEqual({
      code: 'outside_workspace',
      message:
        '../secret is outside the folders this session may use: /work, /library (read-only), /work/vendor (read-only). ' +
        'Use a path inside them; the user can add a folder by starting with --include-directories <folder>.',
    });
  });

  test.each(['/', '/etc/passwd', '..', '../work-old/a', 'a/../../x', '../alias-2', '//etc'])(
    'refuses %j',
    (path) => {
      expect(refusal(path).code).toBe('outside_workspace');
    },
  );

  test.each([
    ['', 'The path is empty. Use "." for the workspace folder.'],
    [' ', 'The path is blank. Use "." for the workspace folder.'],
    ['\t\n\u00a0\u3000', 'The path is blank. Use "." for the workspace folder.'],
    ['a\0b', 'The path contains a NUL character, which no file name can hold.'],
    ['a\ud800', 'The path contains half of a surrogate pair, so it names no file.'],
    ['~', '"~" is not expanded. Give the absolute path, or "./~" for an entry really named "~".'],
    ['~/x', '"~" is not expanded. Give the absolute path, or "./~/x" for an entry really named "~".'],
  ])('refuses %j in words', (path, message) => {
    expect(refusal(path)).toEqual({ code: 'invalid_params', message });
  });

  test('refuses what is too long, without repeating all of it', () => {
    const deep = refusal(`${'abc/'.repeat(2000)}x`);
    expect(deep.code).toBe('invalid_params');
    expect(deep.message).toMatch(/^The path is 8\d\d\d bytes long; at most 4095 can be used: .{200,400}$/u);
    const wide = refusal(`a/${'ü'.repeat(128)}/b`);
    expect(wide.message).toContain('A file name in the path is 256 bytes long; at most 255 can be used: ü');
    expect(workspace.resolve('ü'.repeat(127))).toBe(join(base, 'work', 'ü'.repeat(127)));
  });
});

test('paths are shown relative to the workspace, elsewhere absolute', () => {
  expect(workspace.show(join(base, 'work'))).toBe('.');
  expect(workspace.show(join(base, 'work/a/b'))).toBe('a/b');
  expect(workspace.show(join(base, 'library/a'))).toBe(join(base, 'library/a'));
  expect(workspace.show(join(base, 'work-old'))).toBe(join(base, 'work-old'));
});

test.each([
  ['/home/me', '~'],
  ['/home/me/', '~/'],
  ['/home/me/a/b', '~/a/b'],
  ['/home/me/a/', '~/a/'],
  ['/home/meadow/a', '/home/meadow/a'],
  ['/', '/'],
])('%s is shown as %s to whoever has the home /home/me', (path, shown) => {
  expect(pathFromHome(path, '/home/me')).toBe(shown);
});
