import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { patchOf } from './patch.js';
import { fromPortable, type PortableChanges, toPortable } from './portable-changes.js';

const base = mkdtempSync(join(tmpdir(), 'toolwright-portable-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const hashes = { old: 'a'.repeat(64), next: 'b'.repeat(64), bin: 'c'.repeat(64) };
const bytes: Record<string, Buffer> = {
  [hashes.next]: Buffer.from('new text\n'),
  [hashes.bin]: Buffer.from([0, 1, 2, 255, 0, 7]),
};

it('the collection of results carries a change set to another folder, leaves out what it is told to, and never leads out of the folder', async () => {
  const changeSet = {
    v: 1 as const,
    id: 'x',
    changes: [
      {
        kind: 'modify' as const,
        path: '/here/src/a.txt',
        before: { hash: hashes.old, size: 4 },
        after: { hash: hashes.next, size: 9 },
      },
      { kind: 'create' as const, path: '/here/ignored/log', after: { hash: hashes.bin, size: 6 } },
      { kind: 'delete' as const, path: '/elsewhere/b', before: { hash: hashes.old, size: 4 } },
    ],
    directories: [],
    removedDirectories: [],
  };
  const planned = {
    changeSet,
    diff: { kind: 'diff' as const, files: [] },
    blobs: { read: async (hash: string) => bytes[hash]! },
  };
  const portable = await toPortable(planned, '/here', {
    why: (path) => (path.includes('ignored') ? '' : null),
  });
  expect(portable.changes.map(({ path }) => path)).toEqual(['src/a.txt']);
  expect(portable.leftOut).toEqual(['../elsewhere/b: it is outside the workspace']);
  const there = fromPortable(portable, '/there', 'y');
  expect(there.changeSet.changes[0]).toMatchObject({
    path: '/there/src/a.txt',
    after: { hash: hashes.next },
  });
  expect(Buffer.from((await there.blobs.read(hashes.next)) as Uint8Array).toString()).toBe('new text\n');
  const hostile = { ...portable, changes: [{ ...portable.changes[0]!, path: '../../etc/passwd' }] };
  expect(() => fromPortable(hostile, '/there', 'z')).toThrow('leads out of the workspace');
});

it('the collection of results makes a patch that git applies, with new, changed, removed and binary files', async () => {
  const folder = join(base, 'repository');
  mkdirSync(folder);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  writeFileSync(join(folder, 'a.txt'), 'old text\n');
  writeFileSync(join(folder, 'gone.txt'), 'gone\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'x');
  const changes: PortableChanges = {
    v: 1,
    changes: [
      { kind: 'delete', path: 'gone.txt', before: { hash: hashes.old, size: 5, mode: 0o644 } },
      {
        kind: 'modify',
        path: 'a.txt',
        before: { hash: hashes.old, size: 9 },
        after: { hash: hashes.next, size: 9 },
      },
      { kind: 'create', path: 'bin/data', after: { hash: hashes.bin, size: 6, mode: 0o755 } },
    ],
    directories: [],
    removedDirectories: [],
    blobs: Object.fromEntries(
      Object.entries(bytes).map(([hash, content]) => [hash, content.toString('base64')]),
    ),
    leftOut: [],
  };
  const patch = await patchOf(changes, folder);
  writeFileSync(join(base, 'x.patch'), patch);
  git('apply', '--index', join(base, 'x.patch'));
  expect(git('status', '--short').trim().split('\n').sort()).toEqual([
    'A  bin/data',
    'D  gone.txt',
    'M  a.txt',
  ]);
  expect(readFileSync(join(folder, 'bin/data')).equals(bytes[hashes.bin]!)).toBe(true);
});
