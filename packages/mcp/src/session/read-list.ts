import { McpFailure, type McpListing, type McpToolDefinition } from '../contract/connection.js';
import { mcpFailure, seconds } from '../contract/failure.js';
import type { McpLimits, McpNeeds } from '../contract/needs.js';
import { isIncluded, type McpServerConfig } from '../contract/server-config.js';
import { withinLimit } from '../contract/within-limit.js';
import { readPages } from '../lists/read-pages.js';
import { readTools } from '../lists/tool-definitions.js';
import { describeError } from './describe-error.js';
import type { Session } from './session.js';

export interface ListOptions<Item> {
  session: Session;
  method: string;
  /** Where the entries stand in the answer. */
  key: string;
  read(entries: readonly unknown[]): McpListing<Item>;
  signal: AbortSignal;
}

export interface ListParts {
  config: McpServerConfig;
  parts: Pick<McpNeeds, 'clock'>;
  limits: McpLimits;
}

/** A whole list or a failure; half a list is never given. */
export async function readList<Item>(
  { config, parts, limits }: ListParts,
  { session, method, key, read, signal }: ListOptions<Item>,
): Promise<McpListing<Item>> {
  const trouble = { server: config.alias, stage: 'list' as const };
  const late = () =>
    mcpFailure({
      ...trouble,
      code: 'timeout',
      what: `${method} was not answered within ${seconds(limits.list)}`,
      stderrTail: session.stderrTail(),
    });
  const limit = { clock: parts.clock, limitMs: limits.list, signal, onLimit: late };
  try {
    const { entries, warnings } = await withinLimit(
      (within) =>
        readPages({
          key,
          maxPages: limits.listPages,
          maxItems: limits.listItems,
          fetch: (cursor) =>
            session.request(method, cursor === undefined ? {} : { cursor }, {
              signal: within,
              stage: 'list',
            }),
        }),
      limit,
    );
    const listing = read(entries);
    return { items: listing.items, warnings: [...warnings, ...listing.warnings] };
  } catch (error) {
    if (signal.aborted || error instanceof McpFailure) throw error;
    const described = describeError(error, session.ending());
    if (described.kind === 'lost') session.giveUp(described.what);
    throw mcpFailure({
      ...trouble,
      code: described.code,
      what: `${method}: ${described.what}`,
      stderrTail: session.stderrTail(),
      cause: error,
    });
  }
}

/** Only those that the configuration includes. */
export async function readToolList(
  parts: ListParts,
  session: Session,
  signal: AbortSignal,
): Promise<McpListing<McpToolDefinition>> {
  if (!session.info.offers.tools) return { items: [], warnings: [] };
  const read = (entries: readonly unknown[]) => {
    const { items, warnings } = readTools(entries);
    const included = items.filter(({ name }) => isIncluded(parts.config, name));
    const offered = new Set(items.map(({ name }) => name));
    const missing = (parts.config.includeTools ?? []).filter((name) => !offered.has(name));
    return {
      items: included,
      warnings: [
        ...warnings,
        ...missing.map((name) => `includeTools names "${name}", which the server does not offer.`),
      ],
    };
  };
  return await readList(parts, { session, method: 'tools/list', key: 'tools', read, signal });
}
