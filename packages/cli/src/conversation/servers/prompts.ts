import type { Part } from '@toolwright/core';
import { didYouMean, type McpCatalogue, type McpPrompt, nearest } from '@toolwright/core/front-end';

export interface WantedPrompt {
  server: string;
  prompt: string;
  /** The words after the name. */
  rest: string;
}

export type ExpandedServerPrompt = { parts: Part[]; notes: string[] } | { problem: string };

/** Asks the server for the prompt; a mistake of the user is a problem, not an error. */
export async function expandServerPrompt(
  { server: alias, prompt: name, rest }: WantedPrompt,
  catalogue: McpCatalogue | null,
  signal: AbortSignal,
): Promise<ExpandedServerPrompt> {
  const server = catalogue?.find(alias);
  if (!server) return { problem: `There is no MCP server ${alias}. /mcp lists them.` };
  return server.use(async (connection) => {
    const { items } = await connection.listPrompts(signal);
    const prompt = items.find((item) => item.name === name);
    if (!prompt) return { problem: unknownPrompt(alias, name, items) };
    const args = argumentsOf(prompt, rest);
    if (typeof args === 'string') return { problem: `${args} Usage: ${promptUsage(alias, prompt)}` };
    const { messages, warnings } = await connection.getPrompt(name, args, signal);
    const parts = messages.flatMap(({ role, parts }) =>
      role === 'model' ? [{ text: '[answer, as the prompt has it]\n' }, ...parts] : parts,
    );
    return { parts, notes: warnings };
  }, signal);
}

function unknownPrompt(alias: string, name: string, prompts: readonly McpPrompt[]): string {
  const names = prompts.map((prompt) => prompt.name);
  const offered = names.length === 0 ? 'It offers none.' : `It offers ${names.slice(0, 10).join(', ')}.`;
  if (name === '')
    return `Which prompt of the MCP server ${alias}? ${offered} Type it right after the colon.`;
  const hint = didYouMean(nearest(name, names)) || offered;
  return `The MCP server ${alias} has no prompt ${name}. ${hint}`;
}

export function promptUsage(alias: string, { name, arguments: wanted }: McpPrompt): string {
  const words = wanted.map((argument) => (argument.required ? `${argument.name}=…` : `[${argument.name}=…]`));
  return [`/${alias}:${name}`, ...words].join(' ');
}

/** `name=value` where that is the name of an argument; the other words fill the rest in their order. */
export function argumentsOf({ arguments: wanted }: McpPrompt, rest: string): Record<string, string> | string {
  const given: Record<string, string> = {};
  const loose: string[] = [];
  for (const word of wordsOf(rest)) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(at, 0));
    if (wanted.some((argument) => argument.name === name)) given[name] = word.slice(at + 1);
    else loose.push(word);
  }
  const open = wanted.filter(({ name }) => !Object.hasOwn(given, name));
  open.forEach(({ name }, index) => {
    const isLast = index === open.length - 1;
    const words = isLast ? loose.slice(index) : loose.slice(index, index + 1);
    if (words.length > 0) given[name] = words.join(' ');
  });
  if (open.length === 0 && loose.length > 0) return `Unexpected: ${loose.join(' ')}.`;
  const missing = wanted.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  return missing.length > 0 ? `It needs ${missing.map(({ name }) => name).join(', ')}.` : given;
}

/** Splits at blanks; quotes keep words together. */
function wordsOf(text: string): string[] {
  const word = /(?:[^\s"']+|"[^"]*"|'[^']*')+/g;
  return Array.from(text.matchAll(word), ([found]) =>
    found.replace(/"([^"]*)"|'([^']*)'/g, (_all, double, single) => double ?? single),
  );
}
