import { isToolError, type Part } from '@toolwright/core';
import type { ServedServer } from '@toolwright/core/front-end';

export interface NamedResource {
  parts: Part[];
  warnings: string[];
}

/** The resource that `@alias:uri` names; punctuation of the sentence it stands in is tried without. */
export async function readResource(
  server: ServedServer,
  mention: string,
  signal: AbortSignal,
): Promise<NamedResource> {
  const { alias } = server.config;
  const written = mention.slice(alias.length + 1);
  const trimmed = written.replace(/[.,;:!?)\]}>'"]+$/, '');
  let problem = '';
  for (const uri of new Set([written, trimmed])) {
    try {
      const { parts, warnings } = await server.use(
        (connection) => connection.readResource(uri, signal),
        signal,
      );
      const title = { text: `\n\nThe resource ${uri} of the MCP server ${alias}, named with @ above:\n\n` };
      return { parts: [title, ...parts], warnings };
    } catch (error) {
      if (!isToolError(error)) throw error;
      problem = error.message;
    }
  }
  return { parts: [], warnings: [`@${mention} is sent as written: ${problem}`] };
}
