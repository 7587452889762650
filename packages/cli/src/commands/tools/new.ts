import { join } from 'node:path';
import { UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import type { Arguments } from '../../command-line/args.js';
import { projectToolsFolder, userToolsFolder } from '../../setup/own-tools.js';
import { loadSetup } from '../../setup/runtime.js';
import { keepTrust, type NewFile, writeNewFiles } from '../new-files.js';
import { checkFile } from './check-file.js';
import { printReports, worstExitCode } from './report.js';
import { executableTool, toolTest } from './sample-tool.js';

/** Writes a tool with its test, and runs the test. */
export async function newTool(name: string | undefined, args: Arguments): Promise<number> {
  if (name === undefined || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
    throw new UsageError(
      'tools new needs a name of at most 64 letters, digits, _ and - that begins with a letter: toolwright tools new word_count',
    );
  const isExecutable = args.switches.has('exec');
  if (isExecutable && args.switches.has('ts')) throw new UsageError('Give --ts or --exec, not both.');
  const signal = abortOnInterrupt();
  const setup = await loadSetup(args);
  const files = isExecutable ? executableTool(name) : typescriptTool(name);
  const isOfUser = args.switches.has('user');
  const inside = isOfUser ? userToolsFolder : projectToolsFolder;
  const folder = await writeNewFiles(setup, {
    front: 'tools new',
    files,
    isOfUser,
    inside,
    check({ registry }) {
      if (registry.find(name))
        throw new UsageError(`The name ${name} is taken by a built-in tool. Choose another one.`);
    },
  });
  const isVouched = isOfUser || (await keepTrust(setup, { args, inside, signal }));
  const [first] = files as [NewFile];
  const report = await checkFile(join(folder, first.name), { stateFolder: setup.stateFolder, signal });
  printReports([report]);
  process.stdout.write(`\n${nextSteps(name, isVouched)}`);
  return worstExitCode([report]);
}

function nextSteps(name: string, isVouched: boolean): string {
  const steps = [
    ...(isVouched ? [] : [['toolwright trust', 'tools of a folder take effect once you trust it']]),
    [`toolwright tools check ${name}`, 'after every change'],
    [`toolwright tools run ${name} --args '{"text": "one two"}'`, 'a call without a model'],
    [`toolwright -p 'use ${name} with text="one two"'`, 'a call by the model'],
  ];
  const width = Math.max(...steps.map(([command = '']) => command.length)) + 2;
  return `Next:\n${steps.map(([command = '', why]) => `  ${command.padEnd(width)}${why}\n`).join('')}`;
}

function typescriptTool(name: string): NewFile[] {
  return [{ name: `${name}.ts`, text: typescript.replaceAll('NAME', name) }, toolTest(name)];
}

const typescript = `import { defineTool } from '@toolwright/core/tool';

export default defineTool({
  apiVersion: 1,
  name: 'NAME',
  // For the model: what the tool does, and when to use it.
  description: 'Counts the words of a text.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text whose words are counted.' },
    },
    required: ['text'],
  },
  // A call reads, writes and reaches nothing. Without this line every call would be asked about.
  effects: () => [],
  run({ text }) {
    const words = text.split(/\\s+/).filter(Boolean).length;
    return words === 1 ? '1 word' : \`\${words} words\`;
  },
});
`;
