import { randomBytes } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import { deadlineIn, unlessAborted } from '@toolwright/core/front-end';
import type { Objects } from '../engine.js';
import { askAgain } from './ask-again.js';
import { read, written } from './tables.js';

const LARGEST_INLINE = 256 * 1024;
const READ_LIMIT_MS = 20_000;
const LEFT_BEHIND_MS = 3_600_000;
const INLINE = 0;
const ELSEWHERE = 1;

/**
 * A small object is one message, replaced in one step. A large one goes in pieces into the object store, under a name that is never
 * used again, and the message says which: pieces that are replaced under one name were lost when a server was killed.
 */
export function openNatsObjects(heads: KV, store: ObjectStore, leaseMs: number): Objects {
  const headOf = async (name: string): Promise<Uint8Array | null> => {
    const entry = await askAgain(leaseMs, () => heads.get(written(name)));
    return entry?.operation === 'PUT' ? entry.value : null;
  };
  const removeLarge = async (head: Uint8Array | null): Promise<void> => {
    if (head?.[0] === ELSEWHERE) await store.delete(placeIn(head)).catch(() => undefined);
  };
  return {
    async put(name, bytes) {
      const isLarge = bytes.length > LARGEST_INLINE;
      const earlier = isLarge ? await headOf(name) : null;
      let head = Buffer.concat([Buffer.of(INLINE), bytes]);
      if (isLarge) {
        const place = randomBytes(16).toString('hex');
        await askAgain(leaseMs, () => store.putBlob({ name: place }, bytes));
        head = Buffer.concat([Buffer.of(ELSEWHERE), Buffer.from(place)]);
      }
      await askAgain(leaseMs, () => heads.put(written(name), head));
      await removeLarge(earlier);
    },
    async get(name) {
      const head = await headOf(name);
      if (head === null) return null;
      if (head[0] === INLINE) return head.subarray(1);
      return askAgain(leaseMs, () => unlessAborted(store.getBlob(placeIn(head)), deadlineIn(READ_LIMIT_MS)));
    },
    async remove(name) {
      const head = await headOf(name);
      if (head === null) return;
      await askAgain(leaseMs, () => heads.purge(written(name)));
      await removeLarge(head);
    },
    async *names() {
      const keys = await askAgain(leaseMs, () => heads.keys());
      for await (const key of keys) yield read(key);
    },
    async tidy() {
      const places = await askAgain(leaseMs, () => store.list());
      const old = places.filter(({ mtime }) => Date.now() - Date.parse(mtime) > LEFT_BEHIND_MS);
      if (old.length === 0) return;
      const named = new Set<string>();
      const all = await askAgain(leaseMs, () => heads.history());
      for await (const { operation, value } of all)
        if (operation === 'PUT' && value[0] === ELSEWHERE) named.add(placeIn(value));
      for (const { name } of old) if (!named.has(name)) await store.delete(name);
    },
  };
}

function placeIn(head: Uint8Array): string {
  return Buffer.from(head.subarray(1)).toString();
}
