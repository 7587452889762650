import type { McpCatalogue, McpPrompt, ServedServer } from '@toolwright/core/front-end';
import { scoreText } from '../typing/fuzzy.js';

/** Words that what was typed last may become, best first. */
export interface Candidates {
  typed: string;
  words: readonly string[];
}

function fitting(typed: string, words: readonly string[]): Candidates {
  const fits = [...new Set(words)]
    .map((word) => ({ word, points: typed === '' ? 0 : scoreText(word, typed) }))
    .filter(({ points }) => points >= 0);
  fits.sort((left, right) => right.points - left.points || (left.word < right.word ? -1 : 1));
  return { typed, words: fits.map(({ word }) => word) };
}

type Connection = Parameters<Parameters<ServedServer['use']>[0]>[0];

/** `/server:prompt words` and `@server:uri`, as far as the server can say how they go on. */
export async function completeForServer(
  before: string,
  catalogue: McpCatalogue | null,
  signal: AbortSignal,
): Promise<Candidates> {
  const prompt = /^\/([\w.-]+):(\S*)(?:\s+([\s\S]*))?$/.exec(before);
  const [, alias = '', uri = ''] = /@([\w.-]+):(\S*)$/.exec(before) ?? [];
  const server = catalogue?.find(prompt?.[1] ?? alias);
  if (!server) return fitting('', []);
  return server.use(async (connection) => {
    if (!prompt) {
      const { items } = await connection.listResources(signal);
      return fitting(
        uri,
        items.map((resource) => resource.uri),
      );
    }
    const [, , name = '', rest] = prompt;
    const { items } = await connection.listPrompts(signal);
    if (rest === undefined)
      return fitting(
        name,
        items.map((item) => item.name),
      );
    const found = items.find((item) => item.name === name);
    return found ? completeArgument(found, rest, connection, signal) : fitting('', []);
  }, signal);
}

async function completeArgument(
  prompt: McpPrompt,
  rest: string,
  connection: Pick<Connection, 'complete'>,
  signal: AbortSignal,
): Promise<Candidates> {
  const { argument, typed, others } = argumentAt(prompt, rest);
  if (argument === undefined) return fitting('', []);
  const request = { of: { prompt: prompt.name }, argument, typed, others };
  return fitting(typed, await connection.complete(request, signal));
}

/** The argument that is being typed at the end, and those before it. */
export function argumentAt(
  { arguments: wanted }: McpPrompt,
  rest: string,
): { argument: string | undefined; typed: string; others: Record<string, string> } {
  const words = rest.split(/\s+/);
  const last = words.pop() ?? '';
  const others: Record<string, string> = {};
  const nameIn = (word: string): string | undefined =>
    wanted.find(({ name }) => word.startsWith(`${name}=`))?.name;
  const open = () => wanted.find(({ name }) => !Object.hasOwn(others, name))?.name;
  for (const word of words.filter((each) => each !== '')) {
    const named = nameIn(word);
    const name = named ?? open();
    if (name !== undefined) others[name] = named === undefined ? word : word.slice(named.length + 1);
  }
  const named = nameIn(last);
  if (named !== undefined) return { argument: named, typed: last.slice(named.length + 1), others };
  return { argument: open(), typed: last, others };
}
