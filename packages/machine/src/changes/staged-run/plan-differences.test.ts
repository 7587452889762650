import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { flagsOf } from './plan-differences.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'flags-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const link = (target: string) =>
  ({ kind: 'symlink', path: join(root, 'link'), before: null, target }) as Parameters<typeof flagsOf>[0][0];
const flags = (target: string) =>
  flagsOf([link(target)], { roots: [{ path: root, access: 'write' }] } as Parameters<typeof flagsOf>[1]);

it('flagsOf tells of a link that leaves the workspace on one line, wherever it leads', () => {
  expect(flags('/nowhere\nNothing else changed.')).toEqual([
    {
      path: join(root, 'link'),
      why: String.raw`a link that leaves the workspace, to "/nowhere\nNothing else changed."`,
      leaves: true,
    },
  ]);
});

it('flagsOf says nothing of a link that stays inside', () => {
  expect(flags('file')).toEqual([]);
});

it('flagsOf takes a link with more folders in it than are followed for one that may leave', () => {
  expect(flags('a/'.repeat(400))).toEqual([
    {
      path: join(root, 'link'),
      why: 'a link that may leave the workspace: it names more folders than are followed',
      leaves: true,
    },
  ]);
});
