import { isToolError, type Toolbox } from '@toolwright/core';
import { projectFiles } from '../actions/project-files.js';
import { exitCodes } from '../base/exit-codes.js';
import { print } from '../base/print.js';
import { refuseFurther } from '../command-line/args.js';
import { withToolbox } from '../setup/runtime.js';
import { defineCommand } from './command.js';

/** Makes the files a project starts from; never touches one that is there. */
export const run = defineCommand({
  usage:
    '  toolwright init [--workspace DIR]     make .toolwright/settings.json and AGENTS.md where they are missing',
  async run(args) {
    refuseFurther(args.words, 'init');
    return withToolbox(args, { front: 'init' }, async (toolbox) => {
      for (const [name, text] of projectFiles) await make(toolbox, name, text);
      print('Next: toolwright trust, then toolwright -p "list ."');
      return exitCodes.done;
    });
  },
});

async function make({ host }: Toolbox, name: string, text: string): Promise<void> {
  const path = host.workspace.resolve(name);
  try {
    await host.files.makeDirectory(host.workspace.resolve(`${name}/..`));
    await host.files.write(path, Buffer.from(text), { expect: { kind: 'absent' } });
    print(`made       ${name}`);
  } catch (error) {
    if (!isToolError(error) || error.code !== 'conflict') throw error;
    print(`left as is ${name} (it already exists)`);
  }
}
