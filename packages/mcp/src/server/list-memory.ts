import { messageOf } from '@toolwright/machine/base/errors.js';
import type { McpListing, McpToolDefinition } from '../contract/connection.js';
import type { Session } from '../session/session.js';

type ToolLister = (session: Session, signal: AbortSignal) => Promise<McpListing<McpToolDefinition>>;

/** What was listed last, so that a server which stumbles does not take its tools away. */
export interface KeptLists {
  /** The new list; where it can't be had, the last good one with a warning. */
  fresh<Item>(
    kind: string,
    list: () => Promise<McpListing<Item>>,
    signal: AbortSignal,
  ): Promise<McpListing<Item>>;
  /** The tools as this session defines them, listed once unless they change. */
  toolsOf(session: Session, signal: AbortSignal): Promise<ReadonlyMap<string, McpToolDefinition>>;
  noteTools(session: Session, listing: McpListing<McpToolDefinition>): void;
  known(name: string): McpToolDefinition | null;
  toolsChanged(): void;
}

export function createKeptLists(listTools: ToolLister): KeptLists {
  const good = new Map<string, McpListing<unknown>>();
  let tools: { session: Session; byName: ReadonlyMap<string, McpToolDefinition> } | null = null;
  let latest: ReadonlyMap<string, McpToolDefinition> = new Map();
  const noteTools = (session: Session, { items }: McpListing<McpToolDefinition>): void => {
    latest = new Map(items.map((tool) => [tool.name, tool]));
    tools = { session, byName: latest };
  };
  return {
    async fresh<Item>(kind: string, list: () => Promise<McpListing<Item>>, signal: AbortSignal) {
      try {
        const listing = await list();
        good.set(kind, listing);
        return listing;
      } catch (error) {
        const kept = good.get(kind) as McpListing<Item> | undefined;
        if (signal.aborted || !kept) throw error;
        const warning = `The last good list is used, as a new one could not be had. ${messageOf(error)}`;
        return { items: kept.items, warnings: [warning] };
      }
    },
    async toolsOf(session, signal) {
      if (tools?.session === session) return tools.byName;
      const listing = await listTools(session, signal);
      noteTools(session, listing);
      return latest;
    },
    noteTools,
    known: (name) => latest.get(name) ?? null,
    toolsChanged() {
      tools = null;
    },
  };
}
