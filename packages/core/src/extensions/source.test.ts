import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { describeSource, parseSource } from './source.js';

it.each([
  ['npm:kit', { kind: 'npm', place: 'kit' }],
  ['npm:@sea/kit@1.2.3', { kind: 'npm', place: '@sea/kit@1.2.3' }],
  ['https://example.com/a.git#v1', { kind: 'git', place: 'https://example.com/a.git', revision: 'v1' }],
  ['git@example.com:a/b.git', { kind: 'git', place: 'git@example.com:a/b.git' }],
  ['ssh://example.com/a', { kind: 'git', place: 'ssh://example.com/a' }],
  ['github:sea/kit', { kind: 'git', place: 'https://github.com/sea/kit' }],
])('the reader of sources understands %s', (written, source) => {
  expect(parseSource(written, '/')).toEqual(source);
});

it.each([
  ['npm:--global', 'is not the name of a package'],
  ['npm:../x', 'is not the name of a package'],
  ['npm:git+ssh://x', 'is not the name of a package'],
  ['http://example.com/a.git', "can't be trusted on its way here"],
  ['git://example.com/a', "can't be trusted on its way here"],
  ['ext::sh -c touch', 'or is not an address of git'],
  ['https://example.com/a#--upload-pack=x', 'is not the name of a branch or a tag'],
  ['https://me:secret@example.com/a', 'has a password in it'],
  ['https://example.com/a.zip', 'is an archive. Download it'],
  ['-x', 'There is no /-x.'],
])('the reader of sources refuses %s', (written, message) => {
  expect(() => parseSource(written, '/')).toThrow(message);
});

it('the reader of sources takes folders and archives of this machine, and a folder inside of them', () => {
  const made = createTempWorkspace({ content: { 'kit/a': '', 'a.mcpb': '', 'a.exe': '' } });
  expect(parseSource('kit', made.directory, { inside: './in/it/' })).toEqual({
    kind: 'folder',
    place: `${made.directory}/kit`,
    inside: 'in/it',
  });
  for (const inside of ['', '.', './', undefined])
    expect(parseSource('kit', made.directory, { inside })).toEqual({
      kind: 'folder',
      place: `${made.directory}/kit`,
    });
  expect(parseSource('./a.mcpb', made.directory)).toMatchObject({ kind: 'archive' });
  expect(() => parseSource('a.exe', made.directory)).toThrow('is neither a folder nor an archive');
  expect(() => parseSource('kit', made.directory, { inside: '../x' })).toThrow('must be a folder inside');
  made.cleanup();
});

it('the reader of sources says where something came from in words that install it again', () => {
  expect(
    describeSource({
      kind: 'git',
      place: 'https://a.b/c',
      revision: 'v1',
      inside: 'x',
      found: 'abcdef0123456789',
    }),
  ).toBe('https://a.b/c#v1, folder x (commit abcdef012345)');
  expect(describeSource({ kind: 'git', place: 'https://a.b/c', plugin: 'x' })).toBe(
    'https://a.b/c, plugin x',
  );
  expect(describeSource({ kind: 'npm', place: 'kit', found: '1.0.0' })).toBe('npm:kit (version 1.0.0)');
});
