import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface LaidOutFile {
  /** Relative to the folder; the caller vouches that it stays below it. */
  path: string;
  bytes: Uint8Array;
  mode: number;
  modifiedMs: number;
}

/** Writes a file that must not be there yet, with its time and with the right to run it where it had one. */
export function layOutFile(folder: string, { path, bytes, mode, modifiedMs }: LaidOutFile): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, bytes, { flag: 'wx', mode: 0o600 });
  chmodSync(target, (mode & 0o111) | 0o644);
  const seconds = modifiedMs / 1_000;
  if (Number.isFinite(seconds)) utimesSync(target, seconds, seconds);
}
