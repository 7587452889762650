import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forged } from '../packages/machine/src/base/fixtures/hostile-names.js';
import { createMachine, type Machine } from './program.js';

/** A title, colours, a cleared line, text that runs backwards, and a line of its own. */
const hostile = `x\x1b]0;owned\x07\x1b[31m\x9b2K\u202e\u200b\ufe0f\u{e0041}\r\n${forged}\u2028${forged}\n`;
const name = hostile.replaceAll('/', '-');
const server = fileURLToPath(new URL('./servers/hostile-texts.mjs', import.meta.url));

const settings = {
  mcpServers: { near: { command: hostile, args: [hostile], env: { A: hostile } } },
  tools: { toolDiscoveryCommand: ['sh', '-c', hostile], toolCallCommand: ['sh', hostile] },
  permissions: { deny: [`Read(${hostile})`] },
  context: { fileName: [hostile] },
};

let machine: Machine;
beforeAll(async () => {
  machine = createMachine({
    [`${name}.txt`]: `TODO ${hostile}`,
    'AGENTS.md': `# ${hostile}\n@${name}.txt\n`,
    [`.toolwright/tools/${name}.ts`]: `throw new Error("\\x1b[31mred\\n${forged}")`,
    '.toolwright/tools/program.json': JSON.stringify({ v: 1, name: hostile, command: ['sh', hostile] }),
    '.toolwright/settings.json': JSON.stringify(settings),
    '.mcp.json': JSON.stringify({
      mcpServers: { [`b${hostile}`]: { url: 'http://127.0.0.1:9', headers: { a: hostile } } },
    }),
  });
  mkdirSync(machine.state, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(machine.state, 'settings.json'),
    JSON.stringify({ mcpServers: { far: { command: process.execPath, args: [server, hostile] } } }),
  );
  await machine.run(['-p', `remember that ${hostile}`, '-y']);
  await machine.run(['-p', `run touch '${name}'`, '-y']);
});
afterAll(() => machine.cleanup());

const call = (tool: string, args: object): string[] => ['tools', 'run', tool, '--args', JSON.stringify(args)];

const commands: string[][] = [
  ['trust', '--show'],
  ['mcp', 'list'],
  ['mcp', 'doctor', 'far'],
  ['mcp', 'accept', 'far'],
  ['tools', 'list'],
  ['tools', 'show', 'far__good'],
  call('list_directory', { path: '.' }),
  call('grep_search', { pattern: 'TODO' }),
  [...call('far__good', {}), '-y'],
  ['sessions', 'list'],
  ['undo', '--list'],
  ['memory', 'show'],
  ['permissions'],
  ['doctor'],
];

/** Typed by the user, so that a line break in them is their own. */
const typed: string[][] = [
  ['mcp', 'doctor', hostile],
  ['tools', 'show', hostile],
  call('read_file', { path: `${name}!` }),
  call(hostile, {}),
  ['explain', hostile],
  ['explain', 'run_shell_command', JSON.stringify({ command: `ls ${hostile}` })],
  ['sessions', 'show', hostile],
  ['undo', hostile],
  ['memory', 'forget', hostile],
  ['--workspace', hostile, '-p', 'x'],
  ['-p', 'x', '--settings', hostile],
  ['-p', 'x', '--model', hostile],
  [hostile],
  [`--${hostile}`],
];

/** Commands whose output is made to be read as it is, line by line. */
const quotes = new Set(['memory show', 'tools show far__good', 'tools run far__good --args {} -y']);

async function printedBy(words: string[]): Promise<string> {
  const { stdout, stderr } = await machine.run(words);
  return stdout + stderr;
}

const acting = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e]|\ufe0f|\u{e0041}/u;

it.each(commands.map((words) => [words]))('texts of others do and forge nothing by %j', async (words) => {
  const printed = await printedBy(words);
  expect(printed).not.toMatch(acting);
  const standing = printed.split('\n').filter((line) => line.startsWith(forged));
  if (!quotes.has(words.join(' '))) expect(standing).toEqual([]);
});

it.each(typed.map((words) => [words]))(
  'words of the user do nothing to the terminal by %j',
  async (words) => {
    expect(await printedBy(words)).not.toMatch(acting);
  },
);

it.each([
  [['sessions', 'list', '--json']],
  [['undo', '--list', '--json']],
  [['mcp', 'list', '--json']],
  [['tools', 'show', 'far__good', '--json']],
  [['tools', 'list', '--json']],
  [['permissions', '--json']],
  [[...call('list_directory', { path: '.' }), '--json']],
  [['-p', 'read a.txt', '--output-format', 'json']],
])('JSON does nothing to a terminal by %j', async (words) => {
  const { stdout, stderr, code } = await machine.run(words);
  expect(code, stderr).toBe(0);
  expect(stdout).not.toMatch(acting);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

describe('what a folder says once it is trusted', () => {
  beforeAll(() => machine.run(['trust']));

  it.each([
    [['mcp', 'list']],
    [['tools', 'list']],
    [['tools', 'check', 'program']],
    [['memory', 'show']],
    [['permissions']],
    [['doctor']],
  ])('does nothing to a terminal by %j', async (words) => {
    expect(await printedBy(words)).not.toMatch(acting);
  });

  it('is quoted on one line where it is a mistake', async () => {
    const mistakes = { ...settings, permissions: { [hostile]: 1, ask: [`Shell(${hostile})`, hostile] } };
    machine.write('.toolwright/settings.json', JSON.stringify(mistakes));
    const printed = await printedBy(['permissions', '--trust']);
    expect(printed).toMatch(/unknown key permissions\.x␛/);
    expect(printed).not.toMatch(acting);
    expect(printed).not.toMatch(new RegExp(`^${forged}`, 'm'));
  });
});
