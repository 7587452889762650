import type { ServerRecord } from './server-record.js';

/** After this time the server is asked again: it may have learned the question meanwhile. */
const HOLDS_MS = 7 * 24 * 3_600_000;

/** True while a server that ended, or said nothing, when it was asked for its revisions is not asked again. */
export function isSpared(record: Pick<ServerRecord, 'spared'> | null, now: number): boolean {
  const at = record?.spared?.at ?? Number.NEGATIVE_INFINITY;
  return at <= now && now - at < HOLDS_MS;
}

export interface SparedSession {
  version?: string;
  fearsQuestion?: boolean;
  at: number;
}

/** The note for the record after a session. Another version of the server may take the question, so that its note is dropped. */
export function sparedAfter(
  record: Pick<ServerRecord, 'spared'> | null,
  { fearsQuestion, version = '', at }: SparedSession,
): ServerRecord['spared'] {
  if (!fearsQuestion) return undefined;
  const known = record?.spared;
  if (!known || !isSpared(record, at)) return { at, version };
  return known.version === version ? known : undefined;
}
