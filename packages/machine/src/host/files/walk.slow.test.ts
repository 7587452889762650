import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { isNodeError, isToolError } from '../../base/errors.js';
import type { TempWorkspace } from '../../testing/temp-workspace.js';
import { isInside } from '../workspace.js';
import { bothWays, temporaryWorkspaces } from './fixtures/both-ways.js';

/** Folders a and b and file c everywhere, and four links among them. */
const folders = ['a', 'a/a', 'a/b', 'b', 'b/a'];
const links = ['l1', 'a/l2', 'a/b/l3', 'b/l4'];
const names = ['a', 'b', 'c', 'l1', 'l2', 'l3', 'l4'];
const paths = links.flatMap((link) => [
  link,
  ...names.flatMap((next) => [`${link}/${next}`, ...names.map((last) => `${link}/${next}/${last}`)]),
]);

const target = fc.record({
  start: fc.constantFrom('', '', '', 'workspace/', 'outside/', './', '../', '../../outside/'),
  segments: fc.array(fc.constantFrom('..', '.', 'a', 'a', 'b', 'b', ...names), { maxLength: 3 }),
});
const targets = fc.array(target, { minLength: links.length, maxLength: links.length });

function build(temporary: TempWorkspace, chosen: { start: string; segments: string[] }[]): void {
  const { directory, outside } = temporary;
  for (const root of [directory, outside]) {
    for (const folder of folders) mkdirSync(join(root, folder));
    for (const folder of ['', ...folders]) writeFileSync(join(root, folder, 'c'), '');
  }
  symlinkSync(join(directory, 'a'), join(outside, 'l1'));
  for (const [index, { start, segments }] of chosen.entries()) {
    const absolute = start.replace(/^workspace/, directory).replace(/^outside/, outside);
    symlinkSync(`${absolute}${segments.join('/')}` || '.', join(directory, links[index]!));
  }
}

/** The kernel's answer for a path, in the words of the door. */
function byKernel(temporary: TempWorkspace, path: string): string {
  try {
    const real = realpathSync.native(temporary.path(path));
    return isInside(real, temporary.directory) ? real : 'outside';
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return 'missing';
    if (isNodeError(error, 'ELOOP')) return 'loop';
    throw error;
  }
}

async function byFiles({ files }: TempWorkspace, path: string): Promise<string> {
  try {
    return (await files.stat(path)) ? await files.realPath(path) : 'missing';
  } catch (error) {
    if (!isToolError(error)) throw error;
    if (error.code === 'outside_workspace') return 'outside';
    return error.code === 'not_found' ? 'missing' : 'loop';
  }
}

describe.each(bothWays)('the walk through random links, by $way', (way) => {
  const create = temporaryWorkspaces(way, afterEach);

  test('ends where the kernel ends, or is refused', async () => {
    const ends = { inside: 0, outside: 0, missing: 0, loop: 0 };
    await fc.assert(
      fc.asyncProperty(targets, async (chosen) => {
        await using temporary = create();
        build(temporary, chosen);
        for (const path of paths) {
          const kernel = byKernel(temporary, path);
          const ours = await byFiles(temporary, path);
          ends[kernel.startsWith('/') ? 'inside' : (kernel as keyof typeof ends)]++;
          // A path that is missing outside the roots gives the same answer as any other outside them.
          const same = kernel === ours || (kernel === 'missing' && ours === 'outside');
          expect(same, `${path}: the kernel says ${kernel}, the door ${ours}`).toBe(true);
        }
      }),
      { numRuns: 10 },
    );
    console.log(`random links, ${way.way}: ${JSON.stringify(ends)}`);
    expect(ends.inside).toBeGreaterThan(0);
    expect(ends.outside).toBeGreaterThan(0);
  });
});
