import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, type Machine, program } from './program.js';

let machine: Machine;
beforeAll(() => {
  machine = createMachine({ 'a.txt': 'alpha\n' });
});
afterAll(() => machine.cleanup());

interface Ended {
  code: number | null;
  stderr: string;
}

function runInto(output: number | 'nobody', args: string[]): Promise<Ended> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: machine.workspace,
    env: { PATH, HOME: machine.home, NO_COLOR: '1' },
    stdio: ['ignore', output === 'nobody' ? 'pipe' : output, 'pipe'],
  });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

const commands: string[][] = [
  ['--version'],
  ['--help'],
  ['undo', '--help'],
  ['tools', 'list'],
  ['tools', 'run', 'read_file', '--args', '{"file_path": "a.txt"}'],
  ['tools', 'run', 'run_shell_command', '--args', '{"command": "cat a.txt"}'],
  ['--provider', 'offline', '-p', 'read a.txt'],
  ['--provider', 'offline', '-p', 'read a.txt', '--output-format', 'json'],
  ['--provider', 'offline', '-p', 'read a.txt', '--output-format', 'stream-json'],
  ['undo', '--list'],
  ['sessions', 'list'],
  ['completion', 'bash'],
  ['explain', 'read_file', '{"file_path": "a.txt"}'],
  ['permissions'],
];

describe.runIf(process.platform === 'linux')('output that can not be written', () => {
  it.each(commands.map((args) => [args.join(' '), args] as const))(
    'ends with one line and exit code 1: %s > /dev/full',
    async (_, args) => {
      const full = openSync('/dev/full', 'w');
      const { code, stderr } = await runInto(full, [...args]);
      closeSync(full);
      expect(stderr).toMatch(
        /^toolwright: The output can't be written: [^\n]+\. Make room, or send it elsewhere\.\n$/,
      );
      expect(code).toBe(1);
    },
  );

  it.each(commands.map((args) => [args.join(' '), args] as const))(
    'ends without a word when nobody reads it: %s',
    async (_, args) => {
      const { stderr } = await runInto('nobody', [...args]);
      expect(stderr).toBe('');
    },
  );
});
