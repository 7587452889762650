import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

const machines: Machine[] = [];
afterEach(() => {
  for (const machine of machines.splice(0)) machine.cleanup();
});

/** A machine on which somebody has written a rule, and said yes for good. */
function open(): Machine {
  const machine = createMachine({ 'src/a.ts': '' });
  machines.push(machine);
  mkdirSync(machine.state, { recursive: true, mode: 0o700 });
  const { workspace } = machine;
  const saved = { v: 1, verdict: 'allow', createdAt: Date.now() };
  const grants = [
    { ...saved, id: 'one', rule: 'Edit(src/**)', workspace },
    { ...saved, id: 'two', rule: 'Shell(make)', workspace, uses: 3 },
    { ...saved, id: 'three', rule: 'Edit(other)', workspace: '/elsewhere' },
    { ...saved, id: 'four', rule: 'Edit(late)', workspace, expiresAt: 1 },
  ];
  writeFileSync(join(machine.state, 'grants.json'), JSON.stringify({ v: 1, grants }));
  writeFileSync(join(machine.state, 'settings.json'), '{\n  "permissions": { "deny": ["Read(.env)"] }\n}\n');
  return machine;
}

it('toolwright permissions lists the rules with their places, and the saved answers that hold here with what is left of them', async () => {
  const machine = open();
  const { stdout, code } = await machine.run(['permissions', '--allowed-tools', 'glob']);
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'Approval mode: default. It applies where no rule does.',
    '',
    'Rules, and where they are written',
    `  deny   Read(.env)  ${machine.state}/settings.json:2`,
    '  allow  glob        --allowed-tools',
    '',
    'Remembered answers',
    '  1  Edit(src/**)  saved for this workspace',
    '  2  Shell(make)   saved for this workspace, 3 more calls',
    'To revoke one: toolwright permissions revoke NUMBER',
    '',
  ]);
});

it('toolwright permissions takes a saved answer back, by number or by rule, and what it allowed is asked about again', async () => {
  const machine = open();
  const decision = async () =>
    JSON.parse(
      (await machine.run(['explain', 'write_file {"file_path": "src/b.ts", "content": ""}', '--json']))
        .stdout,
    ).decision;
  expect(await decision()).toBe('allow');
  const revoked = await machine.run(['permissions', 'revoke', '1']);
  expect(revoked).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Revoked: Edit\(src\/\*\*\)\./),
  });
  expect(await decision()).toBe('ask');
  expect((await machine.run(['permissions', 'revoke', 'Shell(make)'])).code).toBe(0);
  const left = JSON.parse(readFileSync(join(machine.state, 'grants.json'), 'utf8')).grants;
  expect(left.map(({ id }: { id: string }) => id)).toEqual(['three']);
  const { stdout } = await machine.run(['permissions', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ v: 1, mode: 'default', answers: [] });
});
