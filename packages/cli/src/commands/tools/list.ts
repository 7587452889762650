import type { RegisteredTool } from '@toolwright/core';
import { describeTools } from '../../actions/describe-tools.js';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson, printLine, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withToolbox } from '../../setup/runtime.js';

/** Prints a line per tool: name, what it is for, and where it comes from when it is not built in. */
export async function list(args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  return withToolbox(args, { front: 'tools list', servers: { onlyLooks: true } }, async (toolbox) => {
    await toolbox.mcp?.awaitAll(signal);
    const problems = args.switches.has('refresh') ? await toolbox.ownTools?.refresh(signal, true) : [];
    for (const problem of problems ?? []) warn(problem);
    const tools = toolbox.registry.all();
    if (args.switches.has('json')) printJson(tools.map(toolJson), 2);
    else for (const line of describeTools(tools)) printLine(line);
    return exitCodes.done;
  });
}

function toolJson({ tool, origin }: RegisteredTool): object {
  const { name, displayName, description } = tool;
  return { name, displayName, origin, description };
}
