import type { Server } from '@modelcontextprotocol/server';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { ServerSdk } from '../server-sdk.js';
import type { ServedContent, ServedPrompts, ServedResources } from './offers.js';

const MOST_COMPLETIONS = 100;
const MOST_LISTED = 1_000;

/** Answers the requests of clients about resources. */
export function serveResources(server: Server, sources: readonly ServedResources[], sdk: ServerSdk): void {
  server.setRequestHandler('resources/list', async (_request, { mcpReq }) => {
    const lists = await Promise.all(sources.map((source) => source.list(mcpReq.signal)));
    return { resources: lists.flat().slice(0, MOST_LISTED) };
  });
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: sources.flatMap(({ templates = [] }) => [...templates]),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const contents = await readResource(sources, uri, mcpReq.signal);
    if (contents) return { contents };
    throw new sdk.ResourceNotFoundError(uri, `There is no resource ${foreignText(uri)}.`);
  });
}

/** Null when no source has it. */
export async function readResource(
  sources: readonly ServedResources[],
  uri: string,
  signal: AbortSignal,
): Promise<ServedContent[] | null> {
  for (const source of sources) {
    const contents = await source.read(uri, signal);
    if (contents) return contents;
  }
  return null;
}

/** Answers what clients ask while their user types an argument. */
export function serveCompletion(
  server: Server,
  resources: readonly ServedResources[],
  prompts: ServedPrompts | undefined,
): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const { name, value } = argument;
    const found =
      ref.type === 'ref/prompt'
        ? await prompts?.complete?.(ref.name, name, value)
        : (
            await Promise.all(resources.map((source) => source.complete?.(ref.uri, name, value) ?? []))
          ).flat();
    const values = found ?? [];
    return {
      completion: {
        values: values.slice(0, MOST_COMPLETIONS),
        total: values.length,
        hasMore: values.length > MOST_COMPLETIONS,
      },
    };
  });
}
