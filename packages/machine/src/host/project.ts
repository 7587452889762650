import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { orNull } from '../base/errors.js';
import { createFiles, type FilesOptions } from './files/create-files.js';
import type { Files } from './files/files.js';
import { realPathOf } from './state/inspect-files.js';
import { createWorkspace, isInside, type Workspace } from './workspace.js';

/** The repository around the workspace, for reading. */
export interface Project {
  /** The real path of the nearest folder upward with a `.git`, else the workspace. */
  readonly root: string;
  /** Reads anything below the root, including through links, and nothing else. */
  readonly files: Pick<Files, 'open'>;
}

export interface ProjectOptions extends Pick<FilesOptions, 'ids' | 'policy'> {
  workspace: Pick<Workspace, 'directory'>;
  home?: string;
}

/**
 * Opens the repository around the workspace. Tools have no root above the workspace and the user is not asked about
 * it, so it is read through a door of its own: the same walk by descriptor, regular files only, confined to the
 * repository. A plain read would follow a link out of it.
 */
export async function openProject({ workspace, home, ...options }: ProjectOptions): Promise<Project> {
  const root = await findProjectRoot(workspace.directory, home);
  return { root, files: openFolder(root, options) };
}

export function openFolder(
  directory: string,
  options: Pick<FilesOptions, 'ids' | 'policy'>,
): Pick<Files, 'open'> {
  return createFiles(createWorkspace({ directory }), options);
}

/**
 * The project is never the home directory or a folder around it, which hold more than one; and never a folder of
 * someone other than the user or the owner of the workspace, because anyone may put a `.git` into `/tmp`.
 */
export async function findProjectRoot(workspace: string, givenHome = homedir()): Promise<string> {
  const home = await realPathOf(givenHome);
  const owners = new Set([process.geteuid?.(), ownerOf(workspace)]);
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (folder !== workspace && (isInside(home, folder) || !owners.has(ownerOf(folder)))) break;
    const marker = ownerOf(join(folder, '.git'));
    if (marker !== undefined && (folder === workspace || owners.has(marker))) return folder;
    if (dirname(folder) === folder) break;
  }
  return workspace;
}

function ownerOf(path: string): number | undefined {
  return orNull(() => statSync(path).uid) ?? undefined;
}
