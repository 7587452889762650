import type { RegisteredTool } from '@toolwright/core';
import { describeOrigin } from '@toolwright/core/front-end';

/** Gives a line per tool: its name, what it is for, and where it comes from when it is not built in. */
export function describeTools(tools: readonly RegisteredTool[]): string[] {
  const width = Math.max(0, ...tools.map(({ tool }) => tool.name.length)) + 2;
  return tools.map(({ tool, origin }) => {
    const from = origin.kind === 'builtin' ? '' : ` (from ${describeOrigin(origin)})`;
    return `${tool.name.padEnd(width)}${firstSentence(tool.description)}${from}`;
  });
}

function firstSentence(text: string): string {
  return (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ');
}
