import { relative } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { explainMissing } from './explain-missing.js';

export type SearchHost = Pick<Host, 'workspace' | 'files' | 'ripgrep' | 'ignore'>;

/**
 * True for what the rules keep from the model: it is left out of every answer. With the folder that is looked
 * through, also for what the user wants to be asked about, since they were asked about that folder alone.
 */
export type IsHidden = (path: string, folder?: string) => boolean;

export interface SearchPlace {
  /** Absolute, after links. */
  path: string;
  kind: 'file' | 'directory';
  /** The root it lies in: ripgrep runs there, so that ignore files and output paths start from it. */
  root: string;
  /** Ignored itself, but named all the same: everything in it is wanted. */
  isIgnored: boolean;
}

/** The place a path names, links followed inside the roots; `not_found` with near names when there is none. */
export async function findPlace(
  host: SearchHost,
  path: string,
  isHidden: IsHidden = () => false,
): Promise<SearchPlace> {
  const given = host.workspace.resolve(path);
  const stat = await host.files.stat(given);
  if (stat === null)
    throw new ToolError('not_found', await explainMissing(host, given, { hidden: isHidden }));
  if (stat.kind !== 'file' && stat.kind !== 'directory') {
    throw new ToolError('failed', `${host.workspace.show(given)} is neither a file nor a folder.`);
  }
  const real = await host.files.realPath(given);
  if (isHidden(given) || isHidden(real))
    throw new ToolError('denied', `${host.workspace.show(given)} is hidden by rules.`);
  return {
    path: real,
    kind: stat.kind,
    root: host.workspace.rootOf(real)?.path ?? host.workspace.directory,
    isIgnored: host.ignore.view().isIgnored(real, stat.kind),
  };
}

export function namePlace(host: Pick<Host, 'workspace'>, { path }: SearchPlace): string {
  return path === host.workspace.directory ? 'the workspace' : host.workspace.show(path);
}

/** The place as an argument for ripgrep: relative to the root, where it runs, and never like an option. */
export function placeArguments({ root, path }: SearchPlace): string[] {
  return ['--', `./${relative(root, path)}`];
}

/** A path as ripgrep prints it, which starts the way it was told, made absolute. */
export function fromOutput({ root }: SearchPlace, path: string): string {
  return root === '/' ? path.slice(1) || '/' : root + path.slice(1);
}
