import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeSettings } from './mcp/serve-settings.js';
import { serveStages } from './mcp/serve-stage.js';

const stage = serveStages('HTTP, changed settings');
const write = (name: string) => ({ file_path: name, content: 'x\n' });

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
