import { terminalSafe } from '@toolwright/core';
import type { Arguments } from '../args.js';
import { UsageError } from '../exit-codes.js';
import { openToolbox } from '../runtime.js';

/** What the model sees of a tool. */
export async function show(name: string | undefined, args: Arguments): Promise<number> {
  if (name === undefined)
    throw new UsageError('tools show needs the name of a tool; toolwright tools list shows them.');
  const toolbox = await openToolbox(args, { front: 'tools show' });
  try {
    const { tool } = toolbox.registry.require(name);
    const declaration = toolbox.registry.getFunctionDeclarations().find((one) => one.name === tool.name);
    const text = JSON.stringify(declaration, null, 2);
    process.stdout.write(`${args.switches.has('json') ? text : terminalSafe(text)}\n`);
    return 0;
  } finally {
    await toolbox.close();
  }
}
