import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ToolError } from '../../base/errors.js';
import type { Expected } from './files.js';
import { type Descriptor, fill, kindOf, openRegular } from './read.js';
import { entryAt, type FoundPath, type Location, nameIn, readLinkAt, type Walk } from './walk.js';

/** The present state of a location, read as late as possible before a change. */
export type Found =
  | { kind: 'absent' }
  /** The hash is read only if one was expected. */
  | { kind: 'file'; hash?: string; stat: BigIntStats }
  | { kind: 'symlink'; target: string; stat: BigIntStats }
  | { kind: 'directory' | 'other'; stat: BigIntStats };

export interface Expectation extends FoundPath {
  expect: Expected;
  signal?: AbortSignal;
}

const chunkBytes = 1024 * 1024;
const comparedBytes = 256 * 1024;
const turnBytes = 8 * 1024 * 1024;

export async function hashBytes(bytes: Uint8Array): Promise<string> {
  return createHash('sha256').update(bytes).digest('hex');
}

export function sameFile(left: BigIntStats, right: BigIntStats): boolean {
  return (['dev', 'ino', 'size', 'mtimeNs'] as const).every((field) => left[field] === right[field]);
}

/** A cheap second check that the examined file is still there and was not written since. */
export function requireSame(
  { walk, location }: FoundPath,
  examined: BigIntStats,
  present: BigIntStats | null = entryAt(location.directory, location.name),
): void {
  if (present && sameFile(examined, present)) return;
  throw new ToolError(
    'conflict',
    `${nameIn(walk.workspace, location.path)} was changed by another program just now. Read it again, then repeat the change.`,
  );
}

/** Hash of the file at the location; a change while it is read is a conflict. */
async function hashAt(
  walk: Walk,
  location: Location,
  { likely, signal }: { likely: string; signal?: AbortSignal },
): Promise<{ hash: string; stat: BigIntStats }> {
  const descriptor = openRegular(walk, location);
  try {
    const hash = (await equalsKnown(walk, descriptor, likely))
      ? likely
      : await hashDescriptor(descriptor, signal);
    requireSame({ walk, location }, descriptor.stat);
    return { hash, stat: descriptor.stat };
  } finally {
    closeSync(descriptor.number);
  }
}

async function hashDescriptor({ number, stat }: Descriptor, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(number, Number(stat.size), signal)) hash.update(chunk);
  return hash.digest('hex');
}

async function equalsKnown(walk: Walk, descriptor: Descriptor, hash: string): Promise<boolean> {
  const known = walk.known.recall(hash);
  return known !== undefined && (await holdsExactly(descriptor, known));
}

/** Compares synchronously in small pieces: the file was read a moment ago, so the system has it in memory. */
export async function holdsExactly({ number, stat }: Descriptor, known: Uint8Array): Promise<boolean> {
  if (known.byteLength !== Number(stat.size)) return false;
  const buffer = Buffer.allocUnsafeSlow(comparedBytes);
  for (let offset = 0; offset < known.byteLength; ) {
    if (offset > 0 && offset % turnBytes === 0) await new Promise((resolve) => setImmediate(resolve));
    const filled = readSync(number, buffer, 0, comparedBytes, offset);
    if (filled === 0 || !buffer.subarray(0, filled).equals(known.subarray(offset, offset + filled)))
      return false;
    offset += filled;
  }
  // The file may have grown meanwhile.
  return readSync(number, buffer, 0, 1, known.byteLength) === 0;
}

/** Yields chunks in one reused buffer: each must be used before the next is asked for. */
async function* chunksOf(descriptor: number, size: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size + 1));
  for (let offset = 0, filled = buffer.byteLength; filled === buffer.byteLength; offset += filled) {
    filled = await fill(descriptor, buffer, offset, signal);
    if (filled > 0) yield buffer.subarray(0, filled);
  }
}

/** Looks at the location again: it may have been found a while ago. */
async function findAt({ walk, expect, signal, ...expectation }: Expectation): Promise<Found> {
  const { below, blockedBy } = expectation.location;
  if (below.length > 0 || blockedBy !== undefined) return { kind: 'absent' };
  const stat = entryAt(expectation.location.directory, expectation.location.name);
  const location = { ...expectation.location, stat };
  if (!stat) return { kind: 'absent' };
  const kind = kindOf(stat);
  if (kind === 'file' && expect.kind === 'file') {
    return { kind, ...(await hashAt(walk, location, { likely: expect.hash, signal })) };
  }
  if (kind !== 'symlink') return { kind, stat };
  return { kind, target: readLinkAt(walk, location), stat };
}

/** The hash of a file outside the workspace. */
export async function hashFile(path: string): Promise<string> {
  const number = openSync(path, constants.O_RDONLY);
  try {
    return await hashDescriptor({ number, stat: fstatSync(number, { bigint: true }) });
  } finally {
    closeSync(number);
  }
}

/** Throws `conflict` unless the location holds what was expected. */
export async function requireExpected(expectation: Expectation): Promise<Found> {
  const { walk, location, expect } = expectation;
  const found = await findAt(expectation);
  if (matches(found, expect)) return found;
  throw new ToolError(
    'conflict',
    `${nameIn(walk.workspace, location.path)} is not what it was: expected ${describe(expect)}, found ${describe(found)}. ` +
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
      const content = state.hash === undefined ? '' : ` with SHA-256 ${state.hash.slice(0, 12)}…`;
      return `a file${content}${shown}`;
    }
    case 'directory':
      return 'a folder';
    case 'other':
      return 'a pipe, socket or device';
  }
}
