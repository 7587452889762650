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

it.each(["console.log('chatter');", "process.stdout.write('chatter\\n');"])(
  'what a tool prints by %s does not get between the answers',
  async (run) => {
    openWith(run);
    const ended = await call('--json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ llmContent: 'answered' });
    expect(ended.stderr).toBe('chatter\n');
  },
);

it('a tool that would end the program is answered as one that failed', async () => {
  openWith('process.exitCode = 7; process.exit(0);');
  const ended = await call('--json');
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout).error).toMatchObject({
    code: 'failed',
    message: expect.stringMatching(
      /^The tool stray itself failed at .*stray\.mjs:5: process\.exit\(0\) was called, which would end the whole program/,
    ),
  });
});
