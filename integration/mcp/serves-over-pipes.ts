import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToolbox } from '../../packages/core/src/create-toolbox.js';
import type { Answer, Revision } from '../../packages/core/src/serve/fixtures/official-client.js';
import { isConfined } from '../confined.js';
import { serveStages } from './serve-stage.js';
import { isLinux, processesOf } from './stage.js';

export const yes =
  (answer: string, more: Record<string, string> = {}) =>
  (): Answer => ({
    action: 'accept',
    content: { answer, ...more },
  });

/** What every client of `mcp serve` on standard input and output gets, whichever revision of the protocol it speaks. */
export function servesOverPipes(revision: Revision): void {
  const stage = serveStages(`stdio, ${revision}`);

  describe(`a client that speaks ${revision}`, () => {
    it('lists the built-in tools with hints, and calls one that reads', async (test) => {
      const { connect, machine } = stage(test);
      const { client, call } = await connect({ revision });
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      const { tools } = await client.listTools();
      console.log(`evidence: mcp serve ${revision}: ${tools.map(({ name }) => name).join(' ')}`);
      const { registry } = await createToolbox({ workspace: machine.workspace });
      expect(tools.map(({ name }) => name)).toEqual(registry.getAllTools().map(({ name }) => name));
      expect(tools.map(({ name }) => name)).toContain('run_shell_command');
      expect(tools.find(({ name }) => name === 'read_file')?.annotations).toMatchObject({
        readOnlyHint: true,
      });
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
      const { text, progress } = await call('run_shell_command', {
        command: 'echo one; sleep 0.3; echo two',
      });
      expect(text).toContain('one\ntwo');
      expect(progress.join('\n')).toContain('one');
      await call('run_shell_command', { command: 'sleep 318', is_background: true });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('jobs');
      await expect.poll(changes).toBeGreaterThan(0);
    });
  });
}
