import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFiles, type FilesOptions } from '../host/files/create-files.js';
import type { Host } from '../host/host.js';
import { silentLog } from '../host/node-host.js';
import { createWorkspace, type Root, type SessionWorkspace } from '../host/workspace.js';
import { createFakeClock, createFixedIds, type FakeClock } from './fakes.js';

/** A real folder with the doors that lead into it, for tests. */
export interface TempWorkspace extends Pick<Host, 'files' | 'ids' | 'log'> {
  workspace: SessionWorkspace;
  clock: FakeClock;
  /** The real path of the workspace folder. */
  directory: string;
  /** A folder beside the workspace: outside of it, removed with it. */
  outside: string;
  /** Absolute path of something in the workspace. */
  path(...names: string[]): string;
  /** Makes folders as needed; returns the absolute path. */
  write(path: string, content: string | Uint8Array): string;
  read(path: string): string;
  readBytes(path: string): Buffer;
  exists(path: string): boolean;
  symlink(path: string, target: string): string;
  /** Every entry by its relative path: the content of a file, `-> target` for a link, `null` for an empty folder. */
  tree(): Record<string, string | null>;
  /** The same for any folder. */
  treeOf(folder: string): Record<string, string | null>;
  cleanup(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The content of a temporary workspace. */
export interface TempWorkspaceOptions extends Partial<FilesOptions> {
  /** Content by relative path. */
  content?: Record<string, string | Uint8Array>;
  include?: readonly Root[];
}

/** A workspace in a temporary folder. */
export function createTempWorkspace(options: TempWorkspaceOptions = {}): TempWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-test-')));
  const directory = join(base, 'workspace');
  const outside = join(base, 'outside');
  mkdirSync(directory);
  mkdirSync(outside);
  const { content = {}, include, ...fileOptions } = options;
  const workspace = createWorkspace({ directory, include });
  const ids = createFixedIds();
  const write = (path: string, bytes: string | Uint8Array): string => {
    const absolute = join(directory, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, bytes);
    return absolute;
  };
  for (const [path, bytes] of Object.entries(content)) write(path, bytes);
  const cleanup = (): Promise<void> => rm(base, { recursive: true, force: true });
  return {
    workspace,
    files: createFiles(workspace, { ids, ...fileOptions }),
    clock: createFakeClock(),
    ids,
    log: silentLog,
    directory,
    outside,
    path: (...names) => join(directory, ...names),
    write,
    read: (path) => readFileSync(join(directory, path), 'utf8'),
    readBytes: (path) => readFileSync(join(directory, path)),
    exists: (path) => existsSync(join(directory, path)),
    symlink(path, target) {
      const absolute = join(directory, path);
      mkdirSync(dirname(absolute), { recursive: true });
      symlinkSync(target, absolute);
      return absolute;
    },
    tree: () => treeOf(directory),
    treeOf,
    cleanup,
    [Symbol.asyncDispose]: cleanup,
  };
}

function treeOf(directory: string): Record<string, string | null> {
  const tree: Record<string, string | null> = {};
  const visit = (relative: string): void => {
    const entries = readdirSync(join(directory, relative), { withFileTypes: true });
    if (entries.length === 0 && relative !== '') tree[relative] = null;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (entry.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(directory, path))}`;
      else tree[path] = entry.isFile() ? readFileSync(join(directory, path), 'utf8') : '(special)';
    }
  };
  visit('');
  return tree;
}
