import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { becomeOrdinaryUser } from '../../changes/staged-run/fixtures/as-ordinary-user.js';
import { canStage } from '../../changes/staged-run/fixtures/temp-staged.js';
import { countOverlayWays } from '../staging/overlay.js';
import { type Left, leaveMuchAndRemove } from './fixtures/leave-much.js';
import { createTempApartFolders } from './fixtures/temp-apart-folders.js';

const user = becomeOrdinaryUser();
afterAll(() => user.leave());

const here = await canStage();
if (!here) console.log('evidence: no overlays here: removal of sessions apart was not tried');
const ways = here ? Array.from({ length: countOverlayWays() }, (_, way) => way) : [];

const gone = {
  marks: 1,
  names: [],
  precious: 'precious\n',
  workspace: ['a.txt', 'b.txt', 'folder'],
};

it.each(ways)('everything that work on an overlay left is removed, way %i', async (way) => {
  const left = await leaveMuchAndRemove(way);
  expect(left).toMatchObject(gone);
  expect(left.entries).toBeGreaterThanOrEqual(3);
});

it.runIf(here)('an ordinary user can remove everything as well', async () => {
  const fixture = new URL('./fixtures/leave-much.ts', import.meta.url);
  const left = await user.call<Left>(fixture, 'leaveMuchAndRemove', 0);
  expect(left).toMatchObject(gone);
  expect(left.entries).toBeGreaterThanOrEqual(3);
});

const canMount = process.getuid?.() === 0 && mountsAt('/tmp');
if (!canMount) console.log('evidence: no right to mount: removal beside a mount was not tried');

function mountsAt(folder: string): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.runIf(canMount)('a folder with something mounted inside is not removed', async () => {
  const { begin, folders, cleanup } = createTempApartFolders();
  const mine = await begin();
  const inside = join(mine.path, 'upper-0/mounted');
  mkdirSync(inside, { recursive: true });
  await mine.close();
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', inside]);
  try {
    writeFileSync(join(inside, 'precious'), 'precious\n');
    await expect(folders.remove(mine.about.id)).rejects.toThrow(
      `is not removed, because a file system is mounted at ${inside}. Unmount it, then try again.`,
    );
    expect(existsSync(join(inside, 'precious'))).toBe(true);
  } finally {
    execFileSync('umount', [inside]);
  }
  await folders.remove(mine.about.id);
  expect(await folders.list()).toEqual([]);
  await cleanup();
});
