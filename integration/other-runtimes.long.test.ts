import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canInstall, type Installed, installTarballs } from './packages/install.js';

const run = promisify(execFile);

/** Files, a search, two commands and a tool file. */
const program = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolbox } from '@toolwright/core';

const here = process.argv[2];
const tools = join(here, 'tools');
mkdirSync(tools, { recursive: true });
writeFileSync(join(here, 'notes.txt'), 'alpha TODO\\n');
writeFileSync(join(tools, 'greet.ts'), \`
import { defineTool } from '@toolwright/core/tool';
const parameters = { type: 'object', properties: {} } as const;
export default defineTool({ apiVersion: 1, name: 'greet', description: 'Greets.', parameters, effects: () => [], run: async () => 'from a tool file' });
\`);
const stateFolder = join(here, '..', 'state');
const toolbox = await createToolbox({ workspace: here, stateFolder, approvalMode: 'yolo', ownTools: { folders: [{ path: tools }] } });
for (const notice of toolbox.notices) console.log('notice:', notice);
const calls = [
  ['read_file', { absolute_path: 'notes.txt' }],
  ['grep_search', { pattern: 'TODO', path: '.' }],
  ['edit', { file_path: 'notes.txt', old_string: 'alpha', new_string: 'beta' }],
  ['greet', {}],
  ['run_shell_command', { command: 'echo to stdout; echo to stderr >&2; exit 3' }],
  ['run_shell_command', { command: 'echo made > made.txt; seq 1 20000 | tail -1' }],
];
for (const [name, args] of calls) {
  const [settled] = await toolbox.scheduler.run([{ id: '1', name, arguments: args }], AbortSignal.timeout(60_000));
  console.log(name + ':', JSON.stringify(settled.response.response));
}
console.log('file:', readFileSync(join(here, 'notes.txt'), 'utf8'));
await toolbox.close();
`;

const runtimes = [
  { name: 'Bun', install: '@oven/bun-linux-x64@1.4.4', start: ['@oven/bun-linux-x64/bin/bun'] },
  {
    name: 'Deno',
    install: '@deno/linux-x64-glibc@2.9.6',
    start: ['@deno/linux-x64-glibc/deno', 'run', '-A'],
  },
] as const;

describe.runIf(canInstall)('the library on other programs than Node', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await installTarballs(['machine', 'mcp', 'core']);
    const more = ['esbuild@0.28', ...runtimes.map(({ install }) => install)];
    const quietly = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    await run('npm', [...quietly, ...more], { cwd: installed.directory, timeout: 300_000 });
    installed.write('main.mjs', program);
  }, 900_000);
  afterAll(() => installed?.cleanup(), 120_000);

  it.each(runtimes)('says and does the same on $name as on Node', async ({ name, start }) => {
    const says = async (file: string, args: readonly string[], place: string): Promise<string> => {
      const workspace = join(installed.directory, place, 'work');
      const env = { PATH: process.env['PATH'], HOME: installed.directory };
      const main = join(installed.directory, 'main.mjs');
      const { stdout } = await run(file, [...args, main, workspace], { cwd: installed.directory, env });
      return stdout.replaceAll(workspace, 'WORK');
    };
    const onNode = await says(process.execPath, [], `node-for-${name}`);
    const [file, ...args] = start;
    const there = await says(join(installed.directory, 'node_modules', file), args, name);
    expect(there).toBe(onNode);
    for (const part of [
      'from a tool file',
      'to stdout',
      'to stderr',
      'exit code 3',
      '20000',
      'made.txt',
      'file: beta',
    ])
      expect.soft(there).toContain(part);
    console.log(`evidence: ${name}: the same ${there.trim().split('\n').length} lines as on Node`);
  });
});
