import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { createMachine, type Machine } from './program.js';

const machines: Machine[] = [];
afterEach(() => {
  for (const machine of machines.splice(0)) machine.cleanup();
});

function open(): Machine {
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  machines.push(machine);
  return machine;
}

const args = JSON.stringify({
  command: 'git config --global user.name Somebody && touch b.txt',
  outside: { write: ['~/.gitconfig'] },
});
const run = ['tools', 'run', 'run_shell_command', '--args', args];
const rules = ['Shell(git config --global)', 'Shell(touch)', 'Outside(write ~/.gitconfig)', 'Edit(b.txt)'];

describe.runIf(isConfined)('a command that reaches beyond the sandbox', () => {
  it('is refused with 54 where nobody can be asked, in yolo mode too', async () => {
    const machine = open();
    const { code, stderr, stdout } = await machine.run([...run, '-y']);
    expect(code).toBe(54);
    expect(stdout + stderr).toMatch(/yolo mode asks before writing .*\.gitconfig outside the workspace/);
    expect(existsSync(join(machine.home, '.gitconfig'))).toBe(false);
  });

  it('needs no question once rules allow both the command and the place, and undo says what stays', async () => {
    const machine = open();
    const allowed = rules.flatMap((rule) => ['--allowed-tools', rule]);
    const { code, stdout } = await machine.run([...run, ...allowed]);
    expect(stdout).toContain("[changed outside the workspace, which can't be undone: ~/.gitconfig]");
    expect(code).toBe(0);
    expect(readFileSync(join(machine.home, '.gitconfig'), 'utf8')).toContain('Somebody');
    const stays = `Can't be undone: what it wrote outside the workspace, in ${machine.home}/.gitconfig`;
    expect((await machine.run(['undo', '--list'])).stdout).toContain(stays);
    expect((await machine.run(['undo'])).stdout).toContain(stays);
    expect(existsSync(join(machine.workspace, 'b.txt'))).toBe(false);
  });

  it('is explained with what it would reach', async () => {
    const machine = open();
    const call = JSON.stringify({ name: 'run_shell_command', args: JSON.parse(args) });
    const { stdout } = await machine.run(['explain', call, '--json', '--approval-mode', 'plan']);
    const { decision, effects } = JSON.parse(stdout);
    expect(decision).toBe('deny');
    expect(effects).toContainEqual({
      kind: 'outside',
      access: 'write',
      path: join(machine.home, '.gitconfig'),
      note: 'it can name programs for git to run',
    });
  });

  it('never reaches our own settings', async () => {
    const machine = open();
    const own = { command: 'ls', outside: { read: [machine.state] } };
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    const { code, stderr, stdout } = await machine.run([
      ...['tools', 'run', 'run_shell_command', '-y', '--args', JSON.stringify(own)],
    ]);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('settings or sessions of Toolwright, which no command reaches');
  });
});

it('a rule about the outside that is written wrongly stops the start and names its line', async () => {
  const machine = open();
  mkdirSync(machine.state, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(machine.state, 'settings.json'),
    '{\n  "permissions": { "allow": ["Outside(raed ~/x)"] }\n}\n',
  );
  const { code, stderr } = await machine.run(['explain', 'ls']);
  expect(code).toBe(52);
  expect(stderr).toMatch(/settings\.json:2.*Did you mean read\?/);
});
