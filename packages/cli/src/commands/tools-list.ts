import { terminalSafe } from '@toolwright/core';
import type { Arguments } from '../args.js';
import { abortOnInterrupt } from '../interrupts.js';
import { openToolbox } from '../runtime.js';

/** One line per tool: name, where it comes from, what it is for. */
export async function list(args: Arguments): Promise<number> {
  const toolbox = await openToolbox(args, { front: 'tools list', servers: { onlyLooks: true } });
  await toolbox.mcp?.awaitAll(abortOnInterrupt());
  const tools = toolbox.registry.all();
  if (args.switches.has('json')) {
    const rows = tools.map(({ tool, origin }) => ({
      name: tool.name,
      displayName: tool.displayName,
      origin,
      description: tool.description,
    }));
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  } else {
    const width = Math.max(...tools.map(({ tool }) => tool.name.length)) + 2;
    for (const { tool } of tools) {
      process.stdout.write(`${terminalSafe(tool.name.padEnd(width) + firstSentence(tool.description))}\n`);
    }
  }
  await toolbox.close();
  return 0;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, ' ') ?? text;
}
