import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToolbox } from '../packages/core/src/create-toolbox.js';
import type { Answer, Revision } from '../packages/core/src/serve/fixtures/official-client.js';
import { isConfined } from './confined.js';
import { serveStages } from './mcp/serve-stage.js';
import { isLinux, processesOf } from './mcp/stage.js';

const stage = serveStages('stdio');

const yes =
  (answer: string, more: Record<string, string> = {}) =>
  (): Answer => ({
    action: 'accept',
    content: { answer, ...more },
  });

const revisions: Revision[] = ['2025-11-25', '2026-07-28'];

describe.each(revisions)('a client that speaks %s', (revision) => {
  it('lists the built-in tools with hints, and calls one that reads', async (test) => {
    const { connect, machine } = stage(test);
    const { client, call } = await connect({ revision });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    console.log(`evidence: mcp serve ${revision}: ${tools.map(({ name }) => name).join(' ')}`);
    const { registry } = await createToolbox({ workspace: machine.workspace });
    expect(tools.map(({ name }) => name)).toEqual(registry.getAllTools().map(({ name }) => name));
    expect(tools.map(({ name }) => name)).toContain('run_shell_command');
    expect(tools.find(({ name }) => name === 'read_file')?.annotations).toMatchObject({ readOnlyHint: true });
    expect(tools.find(({ name }) => name === 'edit')?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
    const { text, isError } = await call('read_file', { absolute_path: join(machine.workspace, 'a.txt') });
    expect({ text, isError }).toEqual({ text: 'alpha\n', isError: false });
  });

  it('is asked with the diff; after a yes the change is made, and can be undone', async (test) => {
    const { connect, machine } = stage(test);
    const { call, asked } = await connect({ revision, answer: yes('once') });
    const file = join(machine.workspace, 'a.txt');
    await call('read_file', { absolute_path: file });
    const { text, isError, changeSet } = await call('edit', {
      file_path: file,
      old_string: 'alpha',
      new_string: 'beta',
    });
    expect(isError, text).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('beta\n');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('-alpha\n+beta');
    console.log(`evidence: mcp serve ${revision} asks:\n${asked[0]?.replace(/^/gm, '  | ')}`);
    const undone = await machine.run(['undo', changeSet]);
    expect(undone.code, undone.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('alpha\n');
  });

  it('says no with a reason, which reaches the model, and nothing is changed', async (test) => {
    const { connect, machine } = stage(test);
    const { call } = await connect({ revision, answer: yes('no', { reason: 'use b.txt instead' }) });
    const { text, isError } = await call('write_file', { file_path: 'new.txt', content: 'x\n' });
    expect(isError).toBe(true);
    expect(text).toBe('The user refused this call: use b.txt instead');
    expect(existsSync(join(machine.workspace, 'new.txt'))).toBe(false);
  });

  it.for<[Answer['action'], string]>([
    ['decline', 'The user refused this call: no reason was given'],
    ['cancel', 'The user refused this call: the user closed the question without an answer'],
  ])('that answers %s refuses', async ([action, message], test) => {
    const { connect } = stage(test);
    const { call } = await connect({ revision, answer: () => ({ action }) });
    expect(await call('write_file', { file_path: 'new.txt', content: 'x\n' })).toMatchObject({
      text: message,
      isError: true,
    });
  });

  it('allows for as long as the server lives, and is not asked again', async (test) => {
    const { connect, machine } = stage(test);
    const { call, asked } = await connect({ revision, answer: yes('session') });
    await call('write_file', { file_path: 'new.txt', content: 'one\n' });
    await call('write_file', { file_path: 'new.txt', content: 'two\n' });
    expect(readFileSync(join(machine.workspace, 'new.txt'), 'utf8')).toBe('two\n');
    expect(asked).toHaveLength(1);
  });

  it('that offers no elicitation is refused what would have to be asked, and told so', async (test) => {
    const { connect, machine } = stage(test);
    const { call } = await connect({ revision });
    const { text, isError } = await call('write_file', { file_path: 'new.txt', content: 'x\n' });
    expect(isError).toBe(true);
    expect(text).toBe(
      "Denied: default mode asks before writing new.txt; this client can't be asked (it offers no elicitation), and there is nobody to ask.",
    );
    console.log(`evidence: mcp serve ${revision} without elicitation: ${text}`);
    expect(existsSync(join(machine.workspace, 'new.txt'))).toBe(false);
  });

  it.runIf(isConfined)('that cancels a call ends the command, and goes on working', async (test) => {
    const { connect, machine } = stage(test);
    const { call } = await connect({ revision, args: ['--approval-mode', 'yolo'] });
    const cancel = new AbortController();
    const running = call('run_shell_command', { command: 'echo begun > begun; sleep 318' }, cancel.signal);
    const isSleeping = (): boolean => processesOf(machine).some((line) => line.includes('sleep 318'));
    await expect.poll(isSleeping).toBe(isLinux);
    cancel.abort();
    await expect(running).rejects.toThrow();
    await expect.poll(isSleeping).toBe(false);
    expect((await call('list_directory', { path: '.' })).text).toContain('a.txt');
  });

  it('hears the output of a command as progress, and of the jobs tool when there is a job', async (test) => {
    const { connect } = stage(test);
    const { client, call, changes } = await connect({ revision, args: ['-y'] });
    const { text, progress } = await call('run_shell_command', { command: 'echo one; sleep 0.3; echo two' });
    expect(text).toContain('one\ntwo');
    expect(progress.join('\n')).toContain('one');
    await call('run_shell_command', { command: 'sleep 318', is_background: true });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('jobs');
    await expect.poll(changes).toBeGreaterThan(0);
  });
});

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
