import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';

/**
 * Memory that counts for no process: files in memory-backed file systems that only these processes see, such as
 * `/dev/shm` of a sandbox, and open memory files without a name.
 */
export function heldInFiles(pids: readonly number[]): number {
  return heldInMounts(pids) + heldWithoutName(pids);
}

const MOUNT = /^\d+ \d+ (\d+):(\d+) \S+ (\S+) .* - tmpfs /gm;

function heldInMounts(pids: readonly number[]): number {
  const own = orNull(() => readlinkSync('/proc/self/ns/mnt'));
  const places = new Map<string, number>();
  for (const pid of pids) {
    const place = orNull(() => readlinkSync(`/proc/${pid}/ns/mnt`));
    if (place !== null && place !== own) places.set(place, pid);
  }
  if (places.size === 0) return 0;
  const seen = new Set(mountsOf('self').map(({ device }) => device));
  let bytes = 0;
  for (const pid of places.values())
    for (const { device, path } of mountsOf(String(pid))) {
      const at = `/proc/${pid}/root${path}`;
      // Another mount may cover it.
      if (seen.has(device) || orNull(() => statSync(at).dev) !== device) continue;
      seen.add(device);
      bytes += orNull(() => usedOf(at)) ?? 0;
    }
  return bytes;
}

function mountsOf(pid: string): { device: number; path: string }[] {
  const text = orNull(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8')) ?? '';
  return [...text.matchAll(MOUNT)].map(([, major, minor, path = '']) => ({
    device: deviceOf(Number(major), Number(minor)),
    path: path.replace(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  }));
}

/** The device number that `stat` gives for a major and a minor number. */
function deviceOf(major: number, minor: number): number {
  return (minor & 0xff) + major * 0x100 + (minor - (minor & 0xff)) * 0x1000;
}

function usedOf(path: string): number {
  const { blocks, bfree, bsize } = statfsSync(path);
  return (blocks - bfree) * bsize;
}

function heldWithoutName(pids: readonly number[]): number {
  const sizes = new Map<number, number>();
  for (const pid of pids)
    for (const name of orNull(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
      const path = `/proc/${pid}/fd/${name}`;
      if (!orNull(() => readlinkSync(path))?.startsWith('/memfd:')) continue;
      const found = orNull(() => statSync(path));
      if (found) sizes.set(found.ino, found.blocks * 512);
    }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
