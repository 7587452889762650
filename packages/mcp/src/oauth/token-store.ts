import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { State } from '@toolwright/machine/host/state/state.js';

/** Tokens and client registrations of servers, in a file that only the owner can read. */
export interface TokenStore {
  /** By server address. Null when nothing was saved. */
  read(server: string): Promise<JsonObject | null>;
  /** Whole or not at all; on the disk when it resolves. Null forgets the server. */
  write(server: string, entry: JsonObject | null, signal: AbortSignal): Promise<void>;
  /** One at a time over all processes: whoever refreshes a token that is used up once has it alone. */
  withLock<Result>(server: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

const FORMAT = 'mcp-tokens';

export function openTokenStore(state: Pick<State, 'readJson' | 'updateJson' | 'withLock'>): TokenStore {
  const serversIn = (data: JsonObject | null): JsonObject =>
    isJsonObject(data?.['servers']) ? data['servers'] : {};
  return {
    async read(server) {
      const entry = serversIn(await state.readJson(FORMAT))[server];
      return isJsonObject(entry) ? entry : null;
    },
    async write(server, entry, signal) {
      await state.updateJson(
        FORMAT,
        (data) => {
          const { [server]: _old, ...others } = serversIn(data);
          return { servers: entry === null ? others : { ...others, [server]: entry } };
        },
        signal,
      );
    },
    withLock: (server, work, signal) => state.withLock(lockName(server), work, signal),
  };
}

function lockName(server: string): string {
  return `mcp-${createHash('sha256').update(server).digest('hex').slice(0, 24)}`;
}
