import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer, Revision } from '../../packages/core/src/serve/fixtures/official-client.js';
import { writeSettings } from './serve-settings.js';
import { serveStages } from './serve-stage.js';
import { isLinux, processesOf } from './stage.js';

const yes = (): Answer => ({ action: 'accept', content: { answer: 'once' } });
const write = (name: string) => ({ file_path: name, content: 'x\n' });

const toolFile = `import { defineTool } from '@toolwright/core';
export default defineTool({
  apiVersion: 1, name: 'say_hello', description: 'Says hello.', parameters: { type: 'object', properties: {} },
  effects: () => [],
  run: () => 'hello',
});
`;

/** What every client of `mcp serve --http` gets, whichever revision of the protocol it speaks. */
export function servesOverHttp(revision: Revision): void {
  const stage = serveStages(`HTTP, ${revision}`);

  describe(`over HTTP, ${revision}`, () => {
    it('tools are listed and called, questions asked, calls cancelled, commands ended', async (test) => {
      const { listen, machine } = stage(test);
      const server = await listen(['--allowed-tools', 'Shell(sleep)']);
      const { client, call, asked } = await server.connect({ revision, answer: yes });
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_shell_command');
      expect((await call('write_file', { file_path: 'new.txt', content: 'x\n' })).isError).toBe(false);
      expect(readFileSync(join(machine.workspace, 'new.txt'), 'utf8')).toBe('x\n');
      expect(asked).toHaveLength(1);
      const cancel = new AbortController();
      const running = call('run_shell_command', { command: 'sleep 319' }, cancel.signal);
      const isSleeping = (): boolean => processesOf(machine).some((line) => line.includes('sleep 319'));
      await expect.poll(isSleeping).toBe(isLinux);
      cancel.abort();
      await expect(running).rejects.toThrow();
      await expect.poll(isSleeping).toBe(false);
      expect(server.stdout()).toBe('');
    });

    it('two clients are served at once, and told of new tools', async (test) => {
      const { listen } = stage(test);
      const server = await listen(['-y']);
      const [one, other] = await Promise.all([server.connect({ revision }), server.connect({ revision })]);
      const both = await Promise.all([one, other].map(({ call }) => call('list_directory', { path: '.' })));
      expect(both.map(({ text }) => text.includes('a.txt'))).toEqual([true, true]);
      await one.call('run_shell_command', { command: 'sleep 319', is_background: true });
      await expect.poll(other.changes).toBeGreaterThan(0);
    });

    it('clients that change the same file wait for each other, and nobody waits for one that only reads', async (test) => {
      const { listen, machine } = stage(test, { 'count.txt': '0\n' });
      const server = await listen(['-y']);
      const connect = () => server.connect({ revision });
      const [slow, one, other] = await Promise.all([connect(), connect(), connect()]);
      const isRunning = (command: string): boolean =>
        processesOf(machine).some((line) => line.includes(command));
      const begin = async (command: string, waits: string) => {
        const cancel = new AbortController();
        const running = slow.call('run_shell_command', { command }, cancel.signal).catch(() => 'cancelled');
        await expect.poll(() => isRunning(waits)).toBe(isLinux);
        return async (): Promise<void> => {
          expect(isRunning(waits)).toBe(isLinux);
          cancel.abort();
          expect(await running).toBe('cancelled');
          await expect.poll(() => isRunning(waits)).toBe(false);
        };
      };
      const endAnything = await begin('sh -c "sleep 323"', 'sleep 323');
      expect((await one.call('read_file', { absolute_path: 'count.txt' })).text).toContain('0');
      expect((await other.call('run_shell_command', { command: 'cat count.txt' })).text).toContain('0');
      await endAnything();
      const endReading = await begin('sleep 325', 'sleep 325');
      const count = { command: 'n=$(cat count.txt); sleep 0.2; echo $((n + 1)) > count.txt' };
      const counted = [one, other, one, other].map(({ call }) => call('run_shell_command', count));
      expect((await Promise.all(counted)).map(({ isError }) => isError)).toEqual([
        false,
        false,
        false,
        false,
      ]);
      expect(readFileSync(join(machine.workspace, 'count.txt'), 'utf8')).toBe('4\n');
      await endReading();
      console.log(
        `evidence: mcp serve, ${revision}: two clients read while a third ran a command of unknown effect; 4 commands of two clients counted one file to 4 while a third slept`,
      );
    });

    it('a tool file that is added while the server runs is listed, and clients are told', async (test) => {
      const { listen, machine } = stage(test);
      const server = await listen();
      const { client, changes, call } = await server.connect({ revision });
      const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
      expect(await names()).not.toContain('say_hello');
      const folder = join(machine.state, 'tools');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, 'say_hello.ts'), toolFile);
      await expect.poll(names).toContain('say_hello');
      await expect.poll(changes).toBeGreaterThan(0);
      expect((await call('say_hello', {})).text).toBe('hello');
    });

    it('the session and its change sets are resources', async (test) => {
      const { listen } = stage(test);
      const server = await listen();
      const { client, call } = await server.connect({ revision, answer: yes });
      const { changeSet } = await call('write_file', { file_path: 'new.txt', content: 'x\n' });
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri.replace(/[^/]*$/, ''))).toEqual([
        'toolwright://sessions/',
        'toolwright://changes/',
      ]);
      const { contents } = await client.readResource({ uri: `toolwright://changes/${changeSet}` });
      expect(JSON.stringify(contents)).toContain('create new.txt');
      const found = await client.complete({
        ref: { type: 'ref/resource', uri: 'toolwright://changes/{id}' },
        argument: { name: 'id', value: changeSet.slice(0, 3) },
      });
      expect(found.completion.values).toEqual([changeSet]);
    });

    it('settings that change while it runs count without a restart: a rule allows, a tool is left out and comes back, and clients are told', async (test) => {
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
}
