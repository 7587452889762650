import type { JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { askAgain } from './ask-again.js';

const AT_ONCE = 50;

/**
 * Removes what stands in a bucket for each row that is gone. By its number, so that a row that is made anew in that moment stays.
 */
export async function removeMarkers(
  { streams }: JetStreamManager,
  { bucket, name }: { bucket: KV; name: string },
  leaseMs: number,
): Promise<void> {
  const all = await askAgain(leaseMs, () => bucket.history());
  const marks: number[] = [];
  for await (const { operation, revision } of all) if (operation !== 'PUT') marks.push(revision);
  const removed = (mark: number): Promise<unknown> =>
    // Somebody else may have removed it.
    streams.deleteMessage(`KV_${name}`, mark, false).catch(() => undefined);
  for (let first = 0; first < marks.length; first += AT_ONCE)
    await Promise.all(marks.slice(first, first + AT_ONCE).map(removed));
}
