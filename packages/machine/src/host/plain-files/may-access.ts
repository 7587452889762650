import { accessSync } from 'node:fs';

/** Whether this user may do that with the path; `mode` as in `fs.constants`. */
export function mayAccess(path: string, mode: number): boolean {
  try {
    // By whether it throws: what it returns is null on Bun.
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
