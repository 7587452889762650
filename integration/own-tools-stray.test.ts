import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
afterEach(() => machine.cleanup());

function openWith(run: string): void {
  machine = createMachine({});
  mkdirSync(join(machine.state, 'tools'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(machine.state, 'tools', 'stray.mjs'),
    `export default {
  apiVersion: 1, name: 'stray', description: 'Does something beside its work.',
  parameters: { type: 'object', properties: {} }, effects: () => [],
  async run() {
    ${run}
    await new Promise((done) => setTimeout(done, 100));
    return 'answered';
  },
};
`,
  );
}

const call = (...more: string[]) => machine.run(['tools', 'run', 'stray', '--args', '{}', ...more]);

it.each([
  ['a promise that nobody waits for', "void Promise.reject(new Error('beside'));"],
  ['a timer', "setTimeout(() => { throw new Error('beside'); }, 10);"],
])('a tool that throws in %s is still answered, and the log says where', async (_, run) => {
  openWith(run);
  const ended = await call();
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([0, 'answered\n', '']);
  expect(readFileSync(join(machine.state, 'log', 'debug.log'), 'utf8')).toMatch(
    /A tool file threw outside a call: .*stray\.mjs:5: beside/,
  );
});

it('what a tool prints does not get between the answers', async () => {
  openWith("console.log('chatter');");
  const ended = await call('--json');
  expect(JSON.parse(ended.stdout)).toMatchObject({ llmContent: 'answered' });
  expect(ended.stderr).toBe('chatter\n');
});
