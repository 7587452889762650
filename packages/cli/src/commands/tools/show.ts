import { isToolError, type RegisteredTool, type Toolbox } from '@toolwright/core';
import { describeOrigin, showTool } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withToolbox } from '../../setup/runtime.js';

/** Prints a tool as the model sees it; with `--provider`, in that provider's format and with what is lost. */
export async function show(name: string | undefined, args: Arguments): Promise<number> {
  if (name === undefined)
    throw new UsageError('tools show needs the name of a tool; toolwright tools list shows them.');
  return withToolbox(args, { front: 'tools show', servers: { onlyLooks: true } }, async (toolbox) => {
    if (!toolbox.registry.find(name)) await toolbox.mcp?.awaitAll(abortOnInterrupt());
    const { tool, origin } = toolNamed(name, toolbox);
    toolbox.registry.load([tool.name]);
    const declaration = toolbox.registry.getFunctionDeclarations().find((one) => one.name === tool.name);
    const provider = args.values.get('provider') as Parameters<typeof showTool>[1] | undefined;
    const shown = provider ? await showTool(declaration ?? {}, provider) : declaration;
    printJson(shown, 2);
    // The origin goes to standard error: other programs may read the JSON.
    warn(`${tool.name} comes from ${describeOrigin(origin)}`);
    return exitCodes.done;
  });
}

/** A name that is not there is a mistake in the command line, as it is for every other command. */
function toolNamed(name: string, { registry }: Toolbox): RegisteredTool {
  try {
    return registry.require(name);
  } catch (error) {
    throw isToolError(error) ? new UsageError(error.message) : error;
  }
}
