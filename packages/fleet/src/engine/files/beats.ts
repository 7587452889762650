import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lease, lifeOf, ownLease } from '@toolwright/core/front-end';
import { namesOf, tryRemove } from './paths.js';

/** The heartbeat file of a worker: its process, and for each of its claims a count that goes up. */
interface Beat {
  lease: Lease;
  counts: Record<string, number>;
}

/** The heartbeat of this worker, and a look at those of all others. An owner is a worker with the number of its claim. */
export interface Beats {
  /** The name of the next claim of this worker. */
  nextOwner(): Promise<string>;
  beat(owner: string): void;
  end(owner: string): void;
  /** Gives the owners whose process has ended, or whose count has stood still for the length of a lease. */
  staleOf(owners: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

export function openBeats(folder: string, leaseMs: number): Beats {
  const worker = randomBytes(8).toString('hex');
  const silence = createSilence(leaseMs);
  const counts: Beat['counts'] = {};
  let lease: Lease | null = null;
  let claims = 0;
  return {
    async nextOwner() {
      lease ??= await ownLease();
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      claims += 1;
      return `${worker}-${claims}`;
    },
    beat(owner) {
      counts[owner] = (counts[owner] ?? 0) + 1;
      // Synchronously: two at once would leave a mixture.
      writeFileSync(join(folder, `${worker}.json`), JSON.stringify({ lease, counts }), { mode: 0o600 });
    },
    end(owner) {
      delete counts[owner];
    },
    async staleOf(owners) {
      const beats = await readBeats(folder);
      const dead = new Set<string>();
      for (const [name, { lease: owner }] of beats) if ((await lifeOf(owner)) === 'dead') dead.add(name);
      silence.keepOnly(owners);
      const stale = owners.filter((owner) => {
        const beat = beats.get(workerOf(owner));
        return silence.isLong(owner, beat?.counts[owner]) || dead.has(workerOf(owner));
      });
      const held = new Set(owners.map(workerOf));
      for (const name of dead) if (!held.has(name)) await tryRemove(join(folder, `${name}.json`));
      return stale;
    },
    close: () => tryRemove(join(folder, `${worker}.json`)),
  };
}

function workerOf(owner: string): string {
  return owner.slice(0, owner.indexOf('-'));
}

/** Since when a count has stood still, by the clock of this process, which nobody sets. */
function createSilence(longestMs: number) {
  const seen = new Map<string, { count: number | undefined; since: number }>();
  return {
    isLong(owner: string, count: number | undefined): boolean {
      const last = seen.get(owner);
      if (last && last.count === count) return performance.now() - last.since > longestMs;
      seen.set(owner, { count, since: performance.now() });
      return false;
    },
    keepOnly(owners: readonly string[]): void {
      const present = new Set(owners);
      for (const owner of seen.keys()) if (!present.has(owner)) seen.delete(owner);
    },
  };
}

/** Leaves out a file that is just being written. */
async function readBeats(folder: string): Promise<Map<string, Beat>> {
  const beats = new Map<string, Beat>();
  for (const file of await namesOf(folder)) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    try {
      beats.set(file.replace(/\.json$/, ''), JSON.parse(text) as Beat);
    } catch {}
  }
  return beats;
}
