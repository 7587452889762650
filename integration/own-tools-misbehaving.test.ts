import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createMachine, type Machine } from './program.js';

let machine: Machine;
afterEach(() => machine.cleanup());

const bodies = {
  spins: 'for (;;);',
  'ignores its signal': 'await new Promise(() => setInterval(() => undefined, 1000));',
};

/** A tool that does not stop; it sends the program a signal when it begins. */
function openWith(body: string, more = ''): void {
  machine = createMachine({});
  mkdirSync(join(machine.state, 'tools'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(machine.state, 'tools', 'wild.mjs'),
    `export default {
  apiVersion: 1, name: 'wild', description: 'Does not stop.', ${more}
  parameters: { type: 'object', properties: { calm: { type: 'boolean' }, signal: { type: 'string' } } },
  effects: () => [],
  async run({ calm, signal }) {
    if (calm) return 'calm';
    if (signal) process.kill(process.pid, signal);
    ${body}
  },
};
`,
  );
}

it.each(
  Object.entries(bodies).flatMap(([what, body]) =>
    (['SIGINT', 'SIGTERM'] as const).map((signal) => [what, signal, body] as const),
  ),
)('tools run with a tool that %s ends with one %s', async (_, signal, body) => {
  openWith(body);
  const ended = await machine.run(['tools', 'run', 'wild', '--args', JSON.stringify({ signal })]);
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('It did not stop when told to and was left behind.');
});

it.each(Object.entries(bodies))('a prompt with a tool that %s ends with one signal', async (_, body) => {
  openWith(body);
  const ended = await machine.run(['-p', 'use wild with signal=SIGINT', '--provider', 'offline']);
  expect(ended.code).toBe(130);
});

it.each(Object.entries(bodies))(
  'a tool that %s is answered at its limit, and the same file works at the next call',
  async (_, body) => {
    openWith(body, 'timeout: 500,');
    const calls = ['{"name": "wild", "args": {}}', '{"name": "wild", "args": {"calm": true}}'];
    const ended = await machine.run(['tools', 'run', '--batch'], { input: `${calls.join('\n')}\n` });
    const [first, second] = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.error).toEqual({
      code: 'timeout',
      message: 'The call was stopped at the time limit. It did not stop when told to and was left behind.',
    });
    expect(second).toMatchObject({ llmContent: 'calm' });
  },
);
