import { isToolError, type Toolbox } from '@toolwright/core';
import { parseCommandLine, refuseFurther } from '../command-line/args.js';
import { openToolbox } from '../setup/runtime.js';

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
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, []);
  if (parsed.switches.has('help')) {
    process.stdout.write(
      'Usage\n  toolwright init [--workspace DIR]     make .toolwright/settings.json and AGENTS.md where they are missing\n',
    );
    return 0;
  }
  refuseFurther(parsed.words, 'init');
  const toolbox = await openToolbox(parsed, { front: 'init' });
  try {
    await make(toolbox, '.toolwright/settings.json', SETTINGS);
    await make(toolbox, 'AGENTS.md', CONTEXT);
    process.stdout.write('Next: toolwright trust, then toolwright -p "list ."\n');
    return 0;
  } finally {
    await toolbox.close();
  }
}

async function make({ host }: Toolbox, name: string, text: string): Promise<void> {
  const path = host.workspace.resolve(name);
  try {
    await host.files.makeDirectory(host.workspace.resolve(`${name}/..`));
    await host.files.write(path, Buffer.from(text), { expect: { kind: 'absent' } });
    process.stdout.write(`made    ${name}\n`);
  } catch (error) {
    if (!isToolError(error) || error.code !== 'conflict') throw error;
    process.stdout.write(`kept    ${name} (it is there already)\n`);
  }
}
