import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  changeBetween,
  deletionsFirst,
  type EntryState,
  type PlannedChanges,
  sameState,
} from '../../packages/machine/src/changes/change-set.js';
import type { Content } from '../../packages/machine/src/changes/plan.js';

/** The content of a workspace in one generation: by relative path a file or a link. */
export type World = ReadonlyMap<string, Content>;

const PATHS = [
  'a.txt',
  'b.txt',
  'c/d.txt',
  'c/e.txt',
  'c/f/g.txt',
  'h/i.txt',
  'j',
  'k/l/m',
  'n.bin',
  'o.txt',
];
/** Has a second hard link, so it is overwritten in place, which a kill can tear. */
export const SHARED = 'shared.bin';
export const TWIN = 'twin.bin';

/**
 * `mixed`: every kind of change. `single`: one file that is replaced, as by an edit. `large`: one large file that is
 * overwritten in place, to be hit in the middle.
 */
export type Variant = 'mixed' | 'single' | 'large';

/** The same number always gives the same world. */
export function worldOf(generation: number, variant: Variant): World {
  if (variant === 'large') {
    const size = 15_000_000 + Math.floor(randomFrom(generation)() * 20_000_000);
    return new Map([[SHARED, { bytes: bytesOf(generation, size, SHARED), mode: 0o644 }]]);
  }
  if (variant === 'single') {
    return new Map([
      [SHARED, { bytes: bytesOf(0, 1_000, SHARED), mode: 0o644 }],
      ['a.txt', { bytes: bytesOf(generation, 3_000_000, 'a.txt'), mode: 0o644 }],
    ]);
  }
  const random = randomFrom(generation);
  const world = new Map<string, Content>();
  for (const path of PATHS) {
    const dice = random();
    if (dice < 0.25) continue;
    if (dice < 0.35) world.set(path, { target: `target-${Math.floor(random() * 3)}` });
    else {
      const size = Math.floor(random() ** 4 * 300_000);
      const mode = [0o644, 0o600, 0o755][Math.floor(random() * 3)];
      world.set(path, { bytes: bytesOf(generation, size, path), mode });
    }
  }
  // Seldom another one, because it is large: half of the neighbours leave it alone.
  const era = Math.floor(generation / 2);
  const size = 500_000 + Math.floor(randomFrom(era)() * 3_000_000);
  world.set(SHARED, { bytes: bytesOf(era, size, SHARED), mode: 0o644 });
  return world;
}

function bytesOf(generation: number, size: number, path: string): Uint8Array {
  const line = Buffer.from(`\0${path} of generation ${generation}\n`);
  return Buffer.alloc(Math.max(size, line.length), line);
}

function randomFrom(seed: number): () => number {
  let counter = 0;
  return () => {
    const digest = createHash('sha256').update(`${seed}/${counter++}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

/** Made by hand, without a diff: nobody looks at it, and the time is for committing. */
export function planBetween(
  before: World,
  after: World,
  options: { id: string; root: string },
): PlannedChanges {
  const { id, root } = options;
  const bytes = new Map<string, Uint8Array>();
  const stateOf = (content: Content | undefined): EntryState => {
    if (!content) return { kind: 'absent' };
    if ('target' in content) return { kind: 'symlink', target: content.target };
    const hash = createHash('sha256').update(content.bytes).digest('hex');
    bytes.set(hash, content.bytes);
    return { kind: 'file', hash, size: content.bytes.length, mode: content.mode };
  };
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [from, to] = [stateOf(before.get(path)), stateOf(after.get(path))];
    return sameState(from, to) ? [] : (changeBetween(join(root, path), from, to) ?? []);
  });
  const kept = foldersOf(after);
  const removed = [...foldersOf(before)].filter((folder) => !kept.has(folder));
  return {
    changeSet: {
      v: 1,
      id,
      changes: deletionsFirst(changes, ({ kind }) => kind === 'delete'),
      directories: [],
      removedDirectories: removed.map((folder) => ({ path: join(root, folder) })),
    },
    blobs: { read: async (hash) => bytes.get(hash)! },
    diff: { kind: 'diff', files: [] },
  };
}

function foldersOf(world: World): Set<string> {
  const folders = new Set<string>();
  for (const path of world.keys()) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  return folders;
}

/** Gives a line for each entry: name, mode, content hash or target. */
export function describeWorld(world: World): string[] {
  const lines = [...foldersOf(world)].map((folder) => `${folder}/`);
  for (const [path, content] of world) {
    lines.push(
      'target' in content
        ? `${path} -> ${content.target}`
        : `${path} ${content.mode?.toString(8)} ${hashOf(content.bytes)}`,
    );
  }
  return lines.sort();
}

/** The same of what is really there, the second name of the shared file left out. */
export function describeFolder(root: string): string[] {
  const lines: string[] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (name === TWIN) continue;
    if (entry.isDirectory()) lines.push(`${name}/`);
    else if (entry.isSymbolicLink()) lines.push(`${name} -> ${readlinkSync(path)}`);
    else lines.push(`${name} ${(lstatSync(path).mode & 0o777).toString(8)} ${hashOf(readFileSync(path))}`);
  }
  return lines.sort();
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
