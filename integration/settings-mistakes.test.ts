import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
beforeEach(() => {
  machine = createMachine({ 'a.txt': 'alpha\n' });
});
afterEach(() => machine.cleanup());

function settings(value: object): void {
  mkdirSync(machine.state, { recursive: true });
  writeFileSync(join(machine.state, 'settings.json'), JSON.stringify(value));
}

const prompt = ['-p', 'list .', '--provider', 'offline'];

it('an unknown key of the settings is a warning with the nearest name, and the program goes on', async () => {
  settings({ tools: { exlude: [] } });
  const { code, stdout, stderr } = await machine.run(prompt);
  expect([code, stdout]).toEqual([0, expect.stringContaining('a.txt')]);
  expect(stderr).toMatch(
    /settings\.json:1:\d+: unknown key tools\.exlude\. Did you mean tools\.exclude\? It is ignored\.\n/,
  );
});

it.each<[object, RegExp]>([
  [{ permissions: { alow: [] } }, /unknown key permissions\.alow\. Did you mean permissions\.allow\?/],
  [{ sandbox: { mod: 'off' } }, /unknown key sandbox\.mod\. Did you mean sandbox\.mode\?/],
  [{ approvalMode: 'plann' }, /approvalMode: .*plan/],
  [{ mcpServers: { a: { command: 'x', trusted: true } } }, /unknown key mcpServers\.a\.trusted\./],
])('a mistake where rights are decided ends the program with 52: %j', async (value, message) => {
  settings(value);
  expect(await machine.run(prompt)).toMatchObject({
    code: 52,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
});

it('a server without its variable is told where servers take part, and nowhere else', async () => {
  settings({ mcpServers: { a: { command: 'x', env: { TOKEN: '$NOT_SET_ANYWHERE' } } } });
  const told = /the variable NOT_SET_ANYWHERE is not set\..* Until then this is ignored\./;
  expect((await machine.run(prompt)).stderr).toMatch(told);
  expect((await machine.run(['skills', 'list'])).stderr).toBe('');
});

it.each([
  ['Notification', '"message":"Toolwright asks: echo sample"'],
  ['SessionStart --about clear', '"source":"clear"'],
  ['SubagentStop', '"agent_type":"general"'],
  ['Stop', '"stop_hook_active":false'],
  ['SessionEnd', '"reason":"other"'],
])('hooks try %s gives a hook what the event would give it', async (words, member) => {
  const [event = '', ...more] = words.split(' ');
  const folder = join(machine.state, 'hooks');
  mkdirSync(folder, { recursive: true });
  const command = `grep -qF '${member}' && echo 'It is there.' >&2; exit 2`;
  const hooks = { [event]: [{ hooks: [{ type: 'command', command }] }] };
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ hooks }));
  expect((await machine.run(['hooks', 'try', event, ...more])).stdout).toContain(': It is there.');
});

it('hooks try tells what no event passes on to the model, and that a sample is no call', async () => {
  const folder = join(machine.state, 'hooks');
  mkdirSync(folder, { recursive: true });
  const answer = JSON.stringify({ hookSpecificOutput: { additionalContext: 'a hint' } });
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: `echo '${answer}'` }] }] };
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ hooks }));
  expect((await machine.run(['hooks', 'try', 'PreToolUse'])).stdout).toContain(
    '  has text for the model, which PreToolUse does not pass on: a hint\n',
  );
  const { code, stderr } = await machine.run(['hooks', 'try', 'PreToolUse', '--tool', 'write_file']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^toolwright: The sample is no call, so no hook would be asked: .*file_path: required/s,
    ),
  ]);
});

it('hooks try asks about each file of a patch, and names it', async () => {
  const folder = join(machine.state, 'hooks');
  mkdirSync(folder, { recursive: true });
  const command = `grep -q '"file_path":"[^"]*b.txt"' && echo 'Not that one.' >&2 && exit 2; exit 0`;
  const hooks = { PreToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command }] }] };
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ hooks }));
  const patch = '*** Begin Patch\n*** Add File: new.txt\n+x\n*** Add File: b.txt\n+x\n*** End Patch';
  const sample = ['--tool', 'apply_patch', '--args', JSON.stringify({ patch })];
  const { stdout } = await machine.run(['hooks', 'try', 'PreToolUse', ...sample]);
  expect(stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^grep .*, about new\.txt$/),
    '  says nothing: rules and modes decide as if it were not there',
    expect.stringMatching(/^grep .*, about b\.txt$/),
    '  would refuse the call: Not that one.',
    '',
  ]);
});

it('hooks check ends with 1 for a broken file, and names file and line', async () => {
  expect(await machine.run(['hooks', 'check'])).toMatchObject({ code: 0, stdout: '0 hooks in effect.\n' });
  const folder = join(machine.state, 'hooks');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'hooks.json'), '{\n  "hooks": oops\n}');
  const { code, stdout } = await machine.run(['hooks', 'check']);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/^Off: .*hooks\.json:2: .*\n0 hooks in effect\.\n$/),
  ]);
});
