import { relative } from 'node:path';
import { isInside } from '../../../host/workspace.js';

/** `~/…` for what lies in the home. A slash at the end stays. */
export function inHome(path: string, home: string): string {
  const isFolder = path.endsWith('/') && path !== '/';
  if (home === '/' || !isInside(path, home)) return path;
  const inside = relative(home, path);
  return `~${inside === '' ? '' : `/${inside}`}${isFolder ? '/' : ''}`;
}
