import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namesOf, tryRemove, tryRename } from './paths.js';

const LOOKED_AT_MS = 50;

interface Beat {
  token: string;
  count: number;
  pid: number;
  host: string;
}

/** The heartbeat files of tasks that run: each counts up while its worker lives. */
export interface Beats {
  /** The worker with this token begins. `renew` gives false once the beat is not its own any more. */
  begin(id: string, token: string): Promise<{ renew(): Promise<boolean> }>;
  /** Takes the heartbeat of a worker away; of several who try at once one gets true. */
  remove(id: string, token: string): Promise<boolean>;
  /** Tasks whose worker is gone: its process has ended, or its beat has stood still for the length of a lease. */
  stale(): Promise<StaleTask[]>;
}

export interface StaleTask {
  id: string;
  /** Null where it never had a beat. */
  token: string | null;
}

export function openBeats(folder: string, leaseMs: number): Beats {
  const pathOf = (id: string): string => join(folder, `${id}.beat`);
  /** The last beat that was seen of each task, and when by the clock of this process, which nobody sets. */
  const seen = new Map<string, { beat: string; since: number }>();

  const read = (id: string): Promise<Beat | null> => readBeat(pathOf(id));

  async function isStale(id: string, beat: Beat | null): Promise<boolean> {
    if (beat && beat.host === hostname() && !isAlive(beat.pid)) return true;
    const text = beat ? `${beat.token} ${beat.count}` : 'none';
    const last = seen.get(id);
    if (last?.beat === text) return performance.now() - last.since > leaseMs;
    seen.set(id, { beat: text, since: performance.now() });
    return false;
  }

  return {
    async begin(id, token) {
      let count = 0;
      const write = (): Promise<void> => {
        count += 1;
        const beat: Beat = { token, count, pid: process.pid, host: hostname() };
        return writeFile(pathOf(id), JSON.stringify(beat), { mode: 0o600 });
      };
      await write();
      return {
        async renew() {
          // Somebody may be looking at the beat under another name for a moment.
          const beat = (await read(id)) ?? (await sleep(LOOKED_AT_MS).then(() => read(id)));
          if (beat?.token !== token) return false;
          await write();
          return true;
        },
      };
    },
    async remove(id, token) {
      const aside = `${pathOf(id)}.${randomBytes(4).toString('hex')}`;
      if (!(await tryRename(pathOf(id), aside))) return false;
      const beat = await readBeat(aside);
      if (beat && beat.token !== token) {
        await tryRename(aside, pathOf(id));
        return false;
      }
      seen.delete(id);
      await tryRemove(aside);
      return true;
    },
    async stale() {
      const running = (await namesOf(folder))
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -5));
      const found: StaleTask[] = [];
      for (const id of running) {
        const beat = await read(id);
        if (await isStale(id, beat)) found.push({ id, token: beat?.token ?? null });
      }
      for (const id of seen.keys()) if (!running.includes(id)) seen.delete(id);
      return found;
    },
  };
}

async function readBeat(path: string): Promise<Beat | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Beat;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
