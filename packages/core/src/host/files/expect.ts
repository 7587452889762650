import { type BigIntStats, closeSync, fstatSync, readlinkSync } from 'node:fs';
import { ToolError } from '../../base/errors.js';
import type { Expected } from '../files.js';
import { fill, kindOf, openRegular } from './read.js';
import { decodeTarget, entryAt, type Location, type Walk } from './walk.js';

/** The present state of a location, taken as late as possible before a change. */
export type Found =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; stat: BigIntStats }
  | { kind: 'symlink'; target: string; stat: BigIntStats }
  | { kind: 'directory' | 'other'; stat: BigIntStats };

const chunkBytes = 1024 * 1024;

export async function hashBytes(bytes: Uint8Array): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hash of the file at the location; a change while it is being read is a conflict. */
async function hashAt(walk: Walk, location: Location): Promise<{ hash: string; stat: BigIntStats }> {
  const { createHash } = await import('node:crypto');
  const { number, stat } = openRegular(walk, location);
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Number(stat.size) + 1));
    for (let offset = 0; ; ) {
      const filled = await fill(number, buffer, offset);
      if (filled === 0) break;
      hash.update(buffer.subarray(0, filled));
      offset += filled;
    }
    const after = fstatSync(number, { bigint: true });
    if (after.mtimeNs !== stat.mtimeNs || after.size !== stat.size) {
      throw new ToolError(
        'conflict',
        `${walk.workspace.show(location.path)} is being written by another program. Read it again, then repeat the change.`,
      );
    }
    return { hash: hash.digest('hex'), stat };
  } finally {
    closeSync(number);
  }
}

/** Looks again: the location may have been found a while ago. */
async function findAt(walk: Walk, { directory, name, ...location }: Location): Promise<Found> {
  const stat = entryAt(directory, name);
  if (!stat) return { kind: 'absent' };
  const kind = kindOf(stat);
  if (kind === 'file') return { kind, ...(await hashAt(walk, { ...location, directory, name, stat })) };
  if (kind !== 'symlink') return { kind, stat };
  const target = decodeTarget(readlinkSync(directory.at(name), 'buffer'), walk.workspace.show(location.path));
  return { kind, target, stat };
}

/** Throws `conflict` unless what is there is what was expected. */
export async function requireExpected(walk: Walk, location: Location, expect: Expected): Promise<Found> {
  const found = await findAt(walk, location);
  if (matches(found, expect)) return found;
  throw new ToolError(
    'conflict',
    `${walk.workspace.show(location.path)} is not what it was: expected ${describe(expect)}, found ${describe(found)}. ` +
      'Nothing was changed there. Read it again, then repeat the change.',
  );
}

function matches(found: Found, expect: Expected): boolean {
  switch (expect.kind) {
    case 'absent':
      return found.kind === 'absent';
    case 'symlink':
      return found.kind === 'symlink' && found.target === expect.target;
    case 'file':
      return found.kind === 'file' && found.hash === expect.hash && hasMode(found.stat, expect.mode);
    case 'directory':
      return found.kind === 'directory' && hasMode(found.stat, expect.mode);
  }
}

function hasMode(stat: BigIntStats, mode: number | undefined): boolean {
  return mode === undefined || Number(stat.mode & 0o777n) === (mode & 0o777);
}

function describe(state: Found | Expected): string {
  switch (state.kind) {
    case 'absent':
      return 'no file';
    case 'symlink':
      return `a link to ${JSON.stringify(state.target)}`;
    case 'file': {
      const mode = 'stat' in state ? Number(state.stat.mode & 0o777n) : state.mode;
      const shown = mode === undefined ? '' : `, mode ${mode.toString(8).padStart(4, '0')}`;
      return `a file with SHA-256 ${state.hash.slice(0, 12)}…${shown}`;
    }
    case 'directory':
      return 'a folder';
    case 'other':
      return 'a pipe, socket or device';
  }
}
