import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isConfined as confined } from './confined.js';
import { type McpStage, mcpStages } from './mcp/stage.js';

const stage = mcpStages('servers in the workspace');
const wire = readFileSync(fileURLToPath(new URL('./servers/wire.mjs', import.meta.url)), 'utf8');

const greeting = (word: string): string => `export const word = ${JSON.stringify(word)};\n`;
const serverFile = (more = ''): string => `import { serve, text } from './lib/wire.mjs';
import { word } from './lib/word.mjs';
serve('greeter', {
  'tools/list': () => ({ tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => text(word),
});
${more}`;
const EVIL = serverFile().replace('text(word)', "text('evil')");
const manifest = (script: string): string =>
  JSON.stringify({ name: 'greeter', type: 'module', scripts: { serve: script } });

type Call = { name: string; arguments: Record<string, unknown> };
const write = (path: string, content: string): Call => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});
const shell = (command: string, more = {}): Call => ({
  name: 'run_shell_command',
  arguments: { command, ...more },
});
const greet: Call = { name: 'greeter__greet', arguments: {} };

/** A trusted server that is a file of the workspace, already known; the model reads what it will write over, then tries. */
async function attacked(
  how: { command: string; args: string[] },
  { calls, flags }: { calls: Call[]; flags: string[] },
): Promise<McpStage & { stderr: string }> {
  const files = ['server.mjs', 'lib/word.mjs', 'package.json'];
  const reads = files.map((path) => ({ name: 'read_file', arguments: { absolute_path: path } }));
  const opened = await stage(
    { greeter: { ...how, trust: true } },
    {
      answers: [{ calls: reads }, ...calls.map((call) => ({ calls: [call] })), { calls: [greet] }],
      otherwise: { text: 'Done.' },
    },
  );
  const { machine, run } = opened;
  machine.write('server.mjs', serverFile());
  machine.write('lib/word.mjs', greeting('hello'));
  machine.write('lib/wire.mjs', wire);
  machine.write('package.json', manifest('node server.mjs'));
  expect((await run(['mcp', 'list', '--trust'])).stdout).toMatch(/^greeter +ok +1 tool/);
  const { stderr } = await run(['-p', 'greet me', '--trust', ...flags]);
  return { ...opened, stderr };
}

const node = { command: process.execPath, args: ['server.mjs'] };
const npm = { command: 'npm', args: ['run', '--silent', 'serve'] };
const modes: [string, string[]][] = [
  ['yolo', ['--approval-mode', 'yolo']],
  [
    'auto-edit with rules',
    ['--approval-mode', 'auto-edit', '--allowed-tools', 'Edit(**)', '--allowed-tools', 'Shell(sed)'],
  ],
];

describe.each(modes)('a model in %s mode', (_mode, flags) => {
  it.each<[string, { command: string; args: string[] }, Call[]]>([
    ['the file of a server', node, [write('server.mjs', EVIL)]],
    ['what it imports', node, [write('lib/word.mjs', greeting('evil'))]],
    ['the script in package.json that starts it', npm, [write('package.json', manifest('node other.mjs'))]],
    ['what that script runs', npm, [write('server.mjs', EVIL)]],
    [
      'an argument of an interpreter',
      { command: 'sh', args: ['-c', 'exec node ./server.mjs'] },
      [write('server.mjs', EVIL)],
    ],
  ])('cannot change %s unasked, and what runs is what was', async (_what, how, calls) => {
    const { responses, machine } = await attacked(how, { calls, flags });
    const last = responses();
    expect(last.at(-1)).toContain('hello');
    expect(last.at(-2)).toMatch(
      /a protected path is always asked about: the MCP server \\+"greeter\\+" runs it/,
    );
    expect(readFileSync(join(machine.workspace, 'server.mjs'), 'utf8')).toBe(serverFile());
    console.log(`evidence: ${_what}: ${last.at(-2)}`);
  });

  it.skipIf(!confined)('cannot change it by a command either', async () => {
    const { responses, machine } = await attacked(node, {
      calls: [shell('sed -i s/hello/evil/ lib/word.mjs')],
      flags,
    });
    expect(responses().at(-1)).toContain('hello');
    expect(responses().at(-2)).toMatch(/always asked about/);
    expect(readFileSync(join(machine.workspace, 'lib/word.mjs'), 'utf8')).toBe(greeting('hello'));
  });
});

/** Not to be read off the command line. */
const tries = [
  "const f = require('fs'), t = (w) => { try { w() } catch {} }",
  "t(() => f.writeFileSync('lib/word.mjs', 'x'))",
  "t(() => f.renameSync('lib', 'moved'))",
  "t(() => f.rmSync('server.mjs'))",
  "f.writeFileSync('made', '')",
];

it.skipIf(!confined)('a job finds what a server runs read-only, and its folder in place', async () => {
  const { responses, machine } = await attacked(node, {
    calls: [shell(`node -e "${tries.join(';')}"`, { is_background: true }), shell('sleep 2; ls')],
    flags: ['--approval-mode', 'yolo'],
  });
  expect(responses().at(-1)).toContain('hello');
  expect(readFileSync(join(machine.workspace, 'lib/word.mjs'), 'utf8')).toBe(greeting('hello'));
  expect(readFileSync(join(machine.workspace, 'server.mjs'), 'utf8')).toBe(serverFile());
  expect(readFileSync(join(machine.workspace, 'made'), 'utf8')).toBe('');
});

it('a server whose code was changed from outside stays off until that was accepted', async () => {
  const { run, machine } = await attacked(node, { calls: [], flags: ['-y'] });
  writeFileSync(join(machine.workspace, 'lib', 'word.mjs'), greeting('other'));
  const call = ['tools', 'run', 'greeter__greet', '-y', '--trust'];
  const refused = await run(call);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /The MCP server "greeter" was not started: what it runs is not what you agreed to: .*lib\/word\.mjs \(changed\)\. Look at it; if it is right: toolwright mcp accept greeter/,
  );
  console.log(`evidence: a start after a change, headless: ${refused.stderr}`);
  expect((await run(['mcp', 'list', '--trust'])).stdout).toMatch(
    /^greeter +changed .*\n {2}what it runs is not what you agreed to: .*lib\/word\.mjs \(changed\); to let it start: toolwright mcp accept greeter\n/,
  );
  const unasked = await run(['mcp', 'accept', 'greeter', '--trust']);
  expect([unasked.code, unasked.stdout]).toEqual([54, expect.stringMatching(/changed: .*lib\/word\.mjs\n/)]);
  expect((await run(call)).code).toBe(1);
  const accepted = await run(['mcp', 'accept', 'greeter', '--trust', '--yes']);
  expect(accepted.stdout).toMatch(
    /Accepted: greeter may run what is there now; nothing about its 1 tool has changed\.\n$/,
  );
  expect((await run(call)).stdout).toBe('other\n');
});

it('a server that is lost is not started again from other code', async () => {
  const { run, machine, model, responses } = await attacked(node, { calls: [], flags: ['-y'] });
  const leaving = `${greeting('hello')}
    import { existsSync } from 'node:fs';
    setInterval(() => existsSync('leave') && process.exit(1), 20);\n`;
  machine.write('lib/word.mjs', leaving);
  await run(['mcp', 'accept', 'greeter', '--trust', '--yes']);
  model.answer(
    { calls: [greet] },
    () => {
      machine.write('lib/word.mjs', greeting('evil'));
      machine.write('leave', '');
      return { calls: [shell('sleep 2')] };
    },
    { calls: [greet] },
  );
  await run(['-p', 'greet me', '--trust', '-y']);
  expect(responses().at(-1)).toMatch(/was not started: what it runs is not what you agreed to/);
});
