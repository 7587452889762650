import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serveStages } from './mcp/serve-stage.js';
import { servesOverPipes, yes } from './mcp/serves-over-pipes.js';

const stage = serveStages('stdio');

servesOverPipes('2026-07-28');

it('files that are no text come as what they are', async (test) => {
  const { connect, machine } = stage(test);
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  writeFileSync(join(machine.workspace, 'dot.png'), Buffer.from(png, 'base64'));
  const { call } = await connect();
  const { content } = await call('read_file', { absolute_path: join(machine.workspace, 'dot.png') });
  expect(content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
});

it('the flags of permission hold: a mode, rules, tools left out, another workspace', async (test) => {
  const { connect, machine } = stage(test, { 'a.txt': 'alpha\n', 'inner/b.txt': 'beta\n' });
  const planning = await connect({ args: ['--approval-mode', 'plan'], answer: yes('once') });
  expect((await planning.call('write_file', { file_path: 'x', content: 'x' })).text).toContain('plan mode');
  expect(planning.asked).toEqual([]);
  const allowed = await connect({
    args: ['--allowed-tools', 'Edit(x)', '--exclude-tools', 'web_fetch,edit'],
  });
  expect((await allowed.call('write_file', { file_path: 'x', content: 'x' })).isError).toBe(false);
  const names = (await allowed.client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('edit');
  expect(names).not.toContain('web_fetch');
  const elsewhere = await connect({ args: ['--workspace', join(machine.workspace, 'inner')] });
  expect((await elsewhere.call('list_directory', { path: '.' })).text).toContain('b.txt');
  expect(
    (await elsewhere.call('read_file', { absolute_path: join(machine.workspace, 'a.txt') })).isError,
  ).toBe(true);
});

it('a tool that does not exist is an error of the protocol that names the near ones', async (test) => {
  const { connect } = stage(test);
  const { call } = await connect();
  await expect(call('read_fil', {})).rejects.toThrow('Did you mean read_file');
});

it('calls that come at once and concern one file are made one after the other', async (test) => {
  const { connect, machine } = stage(test, { 'n.txt': '0\n' });
  const { call } = await connect({ args: ['--approval-mode', 'auto-edit'] });
  const file = join(machine.workspace, 'n.txt');
  await call('read_file', { absolute_path: file });
  const edits = Array.from({ length: 12 }, (_, index) =>
    call('edit', { file_path: file, old_string: `${index}\n`, new_string: `${index + 1}\n` }),
  );
  const results = await Promise.all(edits);
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(readFileSync(file, 'utf8')).toBe('12\n');
});

it('what a tool of the user prints does not get among the messages', async (test) => {
  const { connect, machine } = stage(test);
  const folder = join(machine.state, 'tools');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, 'chatty.ts'),
    `import { defineTool } from '@toolwright/core';
console.log('loaded');
export default defineTool({
  apiVersion: 1, name: 'chatty', description: 'Talks.', parameters: { type: 'object', properties: {} },
  effects: () => [],
  run() { console.log('hello'); process.stdout.write('there'); return 'said'; },
});
`,
  );
  const { call, client } = await connect();
  const listed = (await client.listTools()).tools.find(({ name }) => name === 'chatty');
  expect(listed).toMatchObject({ annotations: { title: 'chatty' } });
  expect((await call('chatty', {})).text).toBe('said');
});

it('a known secret does not reach the other agent', async (test) => {
  const secret = 'correct-horse-battery-staple';
  const { connect } = stage(test, { 'a.env': `KEY=${secret}\n` });
  const { call, asked } = await connect({ env: { SERVICE_API_KEY: secret }, answer: yes('once') });
  const results = [
    await call('read_file', { absolute_path: 'a.env' }),
    await call('grep_search', { pattern: 'KEY' }),
    await call('run_shell_command', { command: 'cat a.env' }),
    await call('run_shell_command', { command: 'cp a.env b.env; cat b.env' }),
  ];
  expect(results.filter(({ text }) => text.includes('KEY=[redacted]'))).toHaveLength(4);
  expect(JSON.stringify([results, asked])).not.toContain(secret);
  expect(asked).toHaveLength(1);
});

it('mcp serve ends with status 0 when nobody is on its standard input any more', async (test) => {
  const { machine } = stage(test);
  const ended = await machine.run(['mcp', 'serve'], { input: '' });
  expect(ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  const input = `${JSON.stringify(hello)}\nthis is no message\n`;
  expect((await machine.run(['mcp', 'serve'], { input })).code).toBe(0);
});
