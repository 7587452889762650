import { isToolError, type Toolbox } from '@toolwright/core';
import { exitCodes } from '../base/exit-codes.js';
import { print } from '../base/print.js';
import { refuseFurther } from '../command-line/args.js';
import { withToolbox } from '../setup/runtime.js';
import { defineCommand } from './command.js';

const SETTINGS = `{
  // Settings of this project. They count once you trust the folder (toolwright trust) and can only narrow
  // what your own settings allow. All keys: docs/settings.md
  "v": 1,
  "permissions": {
    "ask": [],
    "deny": ["Read(**/.env)"]
  }
}
`;

const CONTEXT = `# Notes for agents

What is this project, how is it built and tested, and what should be left alone? Agents read this file first.

- Build:
- Test:
- Conventions:
`;

/** Makes the files a project starts from; never touches one that is there. */
export const run = defineCommand({
  usage:
    '  toolwright init [--workspace DIR]     make .toolwright/settings.json and AGENTS.md where they are missing',
  async run(args) {
    refuseFurther(args.words, 'init');
    return withToolbox(args, { front: 'init' }, async (toolbox) => {
      await make(toolbox, '.toolwright/settings.json', SETTINGS);
      await make(toolbox, 'AGENTS.md', CONTEXT);
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
    print(`made    ${name}`);
  } catch (error) {
    if (!isToolError(error) || error.code !== 'conflict') throw error;
    print(`kept    ${name} (it is there already)`);
  }
}
