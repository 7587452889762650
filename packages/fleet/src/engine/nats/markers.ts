import type { JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { inGroups } from '../../schedule/in-groups.js';
import { askAgain } from './ask-again.js';

/**
 * Removes what stands in a bucket for each row that is gone. By its number, so that a row that is made anew in that moment stays.
 */
export async function removeMarkers(
  { streams }: JetStreamManager,
  { bucket, name }: { bucket: KV; name: string },
  leaseMs: number,
): Promise<void> {
  const all = await askAgain(leaseMs, () => bucket.history());
  await inGroups(markersIn(all), (revision) =>
    // Somebody else may have removed it.
    streams.deleteMessage(`KV_${name}`, revision, false).catch(() => undefined),
  );
}

async function* markersIn(entries: Awaited<ReturnType<KV['history']>>): AsyncGenerator<number> {
  for await (const { operation, revision } of entries) if (operation !== 'PUT') yield revision;
}
