import { describeOrigin, terminalSafe, terminalSafeJson, terminalSafeLine } from '@toolwright/core';
import { abortOnInterrupt } from '../../base/interrupts.js';
import type { Arguments } from '../../command-line/args.js';
import { openToolbox } from '../../setup/runtime.js';

/** One line per tool: name, what it is for, and where it comes from when it is not built in. */
export async function list(args: Arguments): Promise<number> {
  const toolbox = await openToolbox(args, { front: 'tools list', servers: { onlyLooks: true } });
  const signal = abortOnInterrupt();
  await toolbox.mcp?.awaitAll(signal);
  if (args.switches.has('refresh')) {
    const problems = (await toolbox.ownTools?.refresh(signal, true)) ?? [];
    for (const problem of problems) process.stderr.write(`toolwright: ${terminalSafe(problem)}\n`);
  }
  const tools = toolbox.registry.all();
  if (args.switches.has('json')) {
    const rows = tools.map(({ tool, origin }) => ({
      name: tool.name,
      displayName: tool.displayName,
      origin,
      description: tool.description,
    }));
    process.stdout.write(`${terminalSafeJson(rows, 2)}\n`);
  } else {
    const width = Math.max(...tools.map(({ tool }) => tool.name.length)) + 2;
    for (const { tool, origin } of tools) {
      const from = origin.kind === 'builtin' ? '' : ` (from ${describeOrigin(origin)})`;
      const line = `${tool.name.padEnd(width)}${firstSentence(tool.description)}${from}`;
      process.stdout.write(`${terminalSafeLine(line)}\n`);
    }
  }
  await toolbox.close();
  return 0;
}

function firstSentence(text: string): string {
  return (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ');
}
