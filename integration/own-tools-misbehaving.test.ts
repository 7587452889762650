import { expect, it, onTestFinished } from 'vitest';
import { addWildTool, blocksForGood, shellCode, waysOfNotStopping } from './own-tools/misbehaving.js';
import { createMachine, type Machine } from './program.js';

function openWith(body: string, more?: string): Machine {
  const machine = createMachine();
  onTestFinished(() => machine.cleanup());
  addWildTool(machine, body, more);
  return machine;
}

const ways = Object.entries(waysOfNotStopping);
const waysAndSignals = ways.flatMap(([what, body]) =>
  (['SIGINT', 'SIGTERM'] as const).map((signal) => [what, signal, body] as const),
);

it.concurrent.each(waysAndSignals)(
  'tools run with a tool that %s ends with one %s',
  async (_, signal, body) => {
    const machine = openWith(body);
    const ended = await machine.run(['tools', 'run', 'wild', '--args', JSON.stringify({ signal })]);
    expect(shellCode(ended)).toBe(130);
    expect(ended.stderr).toContain('It did not stop when told to and was left behind.');
  },
);

it.concurrent.each(waysAndSignals)(
  'a prompt with a tool that %s ends with one %s',
  async (_, signal, body) => {
    const machine = openWith(body);
    const ended = await machine.run(['-p', `use wild with signal=${signal}`, '--provider', 'offline']);
    expect(shellCode(ended)).toBe(130);
    const { stdout } = await machine.run(['sessions', 'show']);
    expect(stdout).toContain('was left behind');
  },
);

it.concurrent.each(ways)(
  'a tool that %s is answered at its limit, and the same file works at the next call',
  async (_, body) => {
    const machine = openWith(body, 'timeout: 500,');
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
    expect(shellCode(ended)).toBe(blocksForGood(body) ? 137 : 1);
  },
);

it.concurrent('a second signal ends the program at once, whatever a tool does', async () => {
  const twice = "require('node:child_process').execSync('kill -INT $PPID; sleep 0.2; kill -INT $PPID');";
  const machine = openWith(twice + waysOfNotStopping['reads a pipe that nobody writes to']);
  const ended = await machine.run(['tools', 'run', 'wild']);
  expect([shellCode(ended), ended.stderr]).toEqual([130, '']);
});
