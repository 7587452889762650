import type {
  McpListing,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpServerInfo,
  McpToolDefinition,
} from '../contract/connection.js';
import type { ServerContext } from '../contract/needs.js';
import { isIncluded, type McpServerConfig } from '../contract/server-config.js';
import { readPrompts, readResources, readResourceTemplates } from '../lists/named-items.js';
import { readPages } from '../lists/read-pages.js';
import { readTools } from '../lists/tool-definitions.js';
import { exchange } from './exchange.js';
import { NEWEST_REVISION } from './newer-wire.js';
import type { Session } from './session.js';

/** A list that servers offer. */
export interface ListOf<Item> {
  /** The key of the answer. */
  kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
  method: string;
  /** The part of what a server offers that it belongs to. */
  of: 'tools' | 'prompts' | 'resources';
  read(entries: readonly unknown[], source: ListSource): McpListing<Item>;
}

/** Facts about the server that decide which entries can be used. */
export interface ListSource {
  config: McpServerConfig;
  info: McpServerInfo;
}

export const TOOLS: ListOf<McpToolDefinition> = {
  kind: 'tools',
  method: 'tools/list',
  of: 'tools',
  read: readIncludedTools,
};
export const PROMPTS: ListOf<McpPrompt> = {
  kind: 'prompts',
  method: 'prompts/list',
  of: 'prompts',
  read: readPrompts,
};
export const RESOURCES: ListOf<McpResource> = {
  kind: 'resources',
  method: 'resources/list',
  of: 'resources',
  read: readResources,
};
export const RESOURCE_TEMPLATES: ListOf<McpResourceTemplate> = {
  kind: 'resourceTemplates',
  method: 'resources/templates/list',
  of: 'resources',
  read: readResourceTemplates,
};

/** Reads a whole list or fails; half a list is never given. What a server does not offer is an empty list. */
export async function readList<Item>(
  context: ServerContext,
  { kind, method, of, read }: ListOf<Item>,
  { session, signal }: { session: Session; signal: AbortSignal },
): Promise<McpListing<Item>> {
  if (!session.info.offers[of]) return { items: [], warnings: [] };
  const { limits } = context;
  return exchange(
    context,
    { session, stage: 'list', method, limitMs: limits.list, signal },
    async (within) => {
      const { entries, warnings } = await readPages({
        key: kind,
        maxPages: limits.listPages,
        maxItems: limits.listItems,
        fetch: (cursor) =>
          session.request(method, cursor === undefined ? {} : { cursor }, { signal: within }),
      });
      const listing = read(entries, { config: context.config, info: session.info });
      return { items: listing.items, warnings: [...warnings, ...listing.warnings] };
    },
  );
}

/** Over HTTP the newer revision repeats arguments in headers where a tool's schema says so. */
export function mirrorsArguments({ protocolVersion, transport }: McpServerInfo): boolean {
  return transport === 'http' && protocolVersion >= NEWEST_REVISION;
}

function readIncludedTools(
  entries: readonly unknown[],
  { config, info }: ListSource,
): McpListing<McpToolDefinition> {
  const { items, warnings } = readTools(entries, {
    mirrorsArguments: mirrorsArguments(info),
    offersTasks: info.offers.tasks,
  });
  const offered = new Set(items.map(({ name }) => name));
  const missing = (config.includeTools ?? []).filter((name) => !offered.has(name));
  return {
    items: items.filter(({ name }) => isIncluded(config, name)),
    warnings: [
      ...warnings,
      ...missing.map((name) => `includeTools names "${name}", which the server does not offer.`),
    ],
  };
}
