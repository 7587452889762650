import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { TokenStore } from '../contract/needs.js';

const FORMAT = 'mcp-tokens';

/** Tokens and client registrations of servers, in a file that only the owner can read. */
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
