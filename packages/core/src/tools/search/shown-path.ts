import type { Workspace } from '@toolwright/machine/host/workspace.js';

/** A path of the model's as the user knows it; one that lies outside stays as it was written. */
export function shownPath(workspace: Pick<Workspace, 'resolve' | 'show'>, path: string): string {
  try {
    return workspace.show(workspace.resolve(path));
  } catch {
    return path;
  }
}
