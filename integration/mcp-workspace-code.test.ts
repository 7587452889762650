import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isConfined } from './confined.js';
import {
  attacked,
  greet,
  greeting,
  keepsCodeOfServers,
  node,
  serverFile,
  shell,
} from './mcp/workspace-code.js';

keepsCodeOfServers('yolo', ['--approval-mode', 'yolo']);

/** Not to be read off the command line. */
const tries = [
  "const f = require('fs'), t = (w) => { try { w() } catch {} }",
  "t(() => f.writeFileSync('lib/word.mjs', 'x'))",
  "t(() => f.renameSync('lib', 'moved'))",
  "t(() => f.rmSync('server.mjs'))",
  "f.writeFileSync('made', '')",
];

it.skipIf(!isConfined)('a job finds what a server runs read-only, and its folder in place', async () => {
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
