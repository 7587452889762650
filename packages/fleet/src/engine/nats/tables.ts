import type { KV } from '@nats-io/kv';
import type { Row, Table } from '../engine.js';
import { askAgain } from './ask-again.js';

/** A bucket of the key-value store; keys that it does not take are written in hex. */
export function openNatsTable(
  bucket: KV,
  leaseMs: number,
): Table & { timeOfWrite(key: string): Promise<number> } {
  return {
    async get(key) {
      const entry = await askAgain(leaseMs, () => bucket.get(written(key)));
      return entry && entry.operation === 'PUT'
        ? ({ value: entry.json(), revision: entry.revision } satisfies Row)
        : null;
    },
    async put(key, value, revision) {
      const text = JSON.stringify(value);
      try {
        return await askAgain(leaseMs, () =>
          revision === null ? bucket.create(written(key), text) : bucket.update(written(key), text, revision),
        );
      } catch (error) {
        if (isConflict(error)) return null;
        throw error;
      }
    },
    async remove(key, revision) {
      try {
        await askAgain(leaseMs, () => bucket.purge(written(key), { previousSeq: revision }));
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },
    async *entries() {
      // A single stream carries all values: a request per row would take minutes.
      const all = await askAgain(leaseMs, () => bucket.history());
      for await (const entry of all) if (entry.operation === 'PUT') yield [read(entry.key), entry.json()];
    },
    async timeOfWrite(key) {
      await askAgain(leaseMs, () => bucket.put(key, '0'));
      const entry = await askAgain(leaseMs, () => bucket.get(key));
      await bucket.delete(key);
      return entry!.created.getTime();
    },
  };
}

/** True if another revision is there than the one that was expected. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 10071 || /wrong last sequence|key exists/i.test(error.message);
}

/** Keys of a bucket take letters, digits, `_` and `-`; the rest is written in hex. */
export function written(key: string): string {
  return key.replace(/[^A-Za-z0-9_-]/g, (character) => `=${Buffer.from(character).toString('hex')}=`);
}

export function read(key: string): string {
  return key.replace(/=([0-9a-f]+)=/g, (_, hex: string) => Buffer.from(hex, 'hex').toString());
}
