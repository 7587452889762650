import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Revision } from '../packages/core/src/serve/fixtures/official-client.js';
import { serveStages } from './mcp/serve-stage.js';

const stage = serveStages('HTTP, changed settings');
const revisions: Revision[] = ['2025-11-25', '2026-07-28'];

function writeSettings(folder: string, settings: object | string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
  writeFileSync(join(folder, 'settings.json'), text);
}

const write = (name: string) => ({ file_path: name, content: 'x\n' });

describe.each(revisions)('settings that change while mcp serve runs, %s,', (revision) => {
  it('count without a restart: a rule allows, a tool is left out and comes back, and clients are told', async (test) => {
    const { listen, machine } = stage(test);
    const server = await listen();
    const { client, call, changes } = await server.connect({ revision });
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect((await call('write_file', write('one.txt'))).isError).toBe(true);
    expect(await names()).toContain('glob');
    writeSettings(machine.state, { permissions: { allow: ['Edit(*.txt)'] }, tools: { exclude: ['glob'] } });
    await expect.poll(names).not.toContain('glob');
    expect(server.stderr()).toContain('The settings changed and are in effect now.');
    await expect.poll(changes).toBeGreaterThan(0);
    expect((await call('write_file', write('one.txt'))).isError).toBe(false);
    await expect(call('glob', { pattern: '*' })).rejects.toThrow('There is no tool called');
    writeSettings(machine.state, { permissions: { deny: ['Edit(*.txt)', 'Read(a.txt)'] } });
    await expect.poll(names).toContain('glob');
    expect((await call('write_file', write('two.txt'))).text).toContain('Edit(*.txt)');
    expect((await call('read_file', { file_path: 'a.txt' })).text).toContain('Read(a.txt)');
    const { text } = await call('run_shell_command', { command: 'cat a.txt' });
    expect(text).not.toContain('alpha');
  });
});

it('a broken settings file keeps the settings from before and says so, and what needs a restart is named', async (test) => {
  const { listen, machine } = stage(test);
  writeSettings(machine.state, { permissions: { allow: ['Edit(*.txt)'] } });
  const server = await listen();
  const { call } = await server.connect();
  writeSettings(machine.state, '{ "permissions": { "allow": [');
  await expect
    .poll(server.stderr)
    .toContain("The settings changed and can't be used, so the earlier ones stay in force.");
  expect(server.stderr()).toContain('settings.json');
  expect((await call('write_file', write('one.txt'))).isError).toBe(false);
  writeSettings(machine.state, { sandbox: { networkHosts: ['example.org'] } });
  await expect.poll(server.stderr).toContain('This takes effect when the server is started again: sandbox.');
  expect((await call('write_file', write('two.txt'))).isError).toBe(true);
});

it('settings of a trusted folder that changed since do not count, and its rules from before stay in force', async (test) => {
  const { listen, machine } = stage(test);
  const folder = join(machine.workspace, '.toolwright');
  writeSettings(folder, { permissions: { deny: ['Read(a.txt)'] } });
  expect((await machine.run(['trust'])).code).toBe(0);
  const server = await listen();
  const { call } = await server.connect();
  writeSettings(folder, {});
  await expect.poll(server.stderr).toContain('this folder changed since you trusted it');
  expect((await call('read_file', { file_path: 'a.txt' })).text).toContain('Read(a.txt)');
  expect((await machine.run(['trust'])).code).toBe(0);
  await expect.poll(async () => (await call('read_file', { file_path: 'a.txt' })).text).toContain('alpha');
});
