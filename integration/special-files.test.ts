import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMachine, type Ended, type Machine, type RunOptions } from './program.js';

let machine: Machine;
beforeEach(() => {
  machine = createMachine({ 'a.txt': 'needle\n' });
  execFileSync('git', ['init', '-q', machine.workspace]);
});
afterEach(() => machine.cleanup());

/** A program that hangs hears nothing else, and fails the test by having no exit code. */
async function run(args: string[], options: RunOptions = {}): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await machine.run(args, {
      ...options,
      onStart(kill) {
        timer = setTimeout(() => kill('SIGKILL'), 40_000);
        options.onStart?.(kill);
      },
    });
  } finally {
    clearTimeout(timer);
  }
}

function putPipe(name: string): void {
  const path = join(machine.workspace, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

const call = (name: string, args: object) => [
  'tools',
  'run',
  name,
  '--trust',
  '--args',
  JSON.stringify(args),
];

/** Calls for everything that a workspace can have us open, and what answers about it. */
const calls: string[][] = [
  call('grep_search', { pattern: 'needle' }),
  call('glob', { pattern: '**' }),
  call('read_many_files', { paths: ['**'] }),
  call('run_shell_command', { command: 'cat a.txt' }),
  ['explain', 'run_shell_command {"command":"git log"}', '--trust'],
  ['tools', 'list', '--trust'],
  ['-p', 'list .', '--provider', 'offline', '--trust'],
];

it.each([
  ['.git/index', 'AGENTS.md', 'package.json', '.env', 'image.png', 'document.pdf'],
  ['.git/HEAD', '.git/config', '.git/info/exclude', '.toolwright/settings.json', '.mcp.json'],
  ['.gitignore', '.toolwrightignore', '.ignore', '.toolwright/tools/imported.ts'],
  ['.toolwright/tools/own.ts', '.toolwright/tools/package.json', 'tsconfig.json'],
])('a named pipe as %s holds up nothing', async (...names) => {
  machine.write('.toolwright/tools/importing.ts', "import './imported.js';\nexport default {};\n");
  for (const name of names) putPipe(name);
  for (const args of calls) {
    const { code } = await run(args);
    expect([args, code]).toEqual([args, expect.any(Number)]);
  }
});

it('a command that waits for a named pipe in the place of an index is ended by Ctrl+C', async () => {
  putPipe('.git/index');
  let interrupt = (): void => undefined;
  const { code, stdout } = await run(
    ['-p', 'run git status', '--provider', 'offline', '--trust', '--output-format', 'stream-json'],
    {
      onStart(kill) {
        interrupt = () => kill('SIGINT');
      },
      onOutput(text) {
        if (text.includes('"call-start"')) setTimeout(interrupt, 300);
      },
    },
  );
  expect(stdout).toContain('"call-start"');
  expect(code).toBe(130);
});
