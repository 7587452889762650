import type { McpListing } from '../contract/connection.js';
import type { ServerContext } from '../contract/needs.js';
import { type ListOf, readList } from '../session/read-list.js';
import type { Session } from '../session/session.js';

/** The lists that a server gave last: the one place that remembers its tools while it runs. */
export interface ListMemory {
  /** Asks the session for the list and keeps the answer. */
  read<Item>(list: ListOf<Item>, session: Session, signal: AbortSignal): Promise<McpListing<Item>>;
  /** The list as this very session gave it; asks for it where it is not known, or has changed since. */
  of<Item>(list: ListOf<Item>, session: Session, signal: AbortSignal): Promise<McpListing<Item>>;
  /** The list that was read last, in whatever session. */
  latest<Item>(list: ListOf<Item>): McpListing<Item> | null;
  /** The server says that the list has changed. */
  changed(kind: ListOf<unknown>['kind']): void;
}

export function createListMemory(context: ServerContext): ListMemory {
  const kept = new Map<string, { listing: McpListing<unknown>; session: Session | null }>();
  const memory: ListMemory = {
    async read(list, session, signal) {
      const listing = await readList(context, list, { session, signal });
      kept.set(list.kind, { listing, session });
      return listing;
    },
    async of<Item>(list: ListOf<Item>, session: Session, signal: AbortSignal) {
      const known = kept.get(list.kind);
      if (known?.session === session) return known.listing as McpListing<Item>;
      return memory.read(list, session, signal);
    },
    latest: <Item>(list: ListOf<Item>) => (kept.get(list.kind)?.listing ?? null) as McpListing<Item> | null,
    changed(kind) {
      const known = kept.get(kind);
      if (known) known.session = null;
    },
  };
  return memory;
}
