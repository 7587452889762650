import { expect, onTestFinished } from 'vitest';
import { createMachine, type Machine } from '../program.js';
import {
  addWildTool,
  blocksForGood,
  shellCode,
  type WayOfNotStopping,
  waysOfNotStopping,
} from './misbehaving.js';

export type EndingSignal = 'SIGINT' | 'SIGTERM';

export function openWith(body: string, more?: string): Machine {
  const machine = createMachine();
  onTestFinished(() => machine.cleanup());
  addWildTool(machine, body, more);
  return machine;
}

export async function toolsRunEnds(way: WayOfNotStopping, signal: EndingSignal): Promise<void> {
  const machine = openWith(waysOfNotStopping[way]);
  const ended = await machine.run(['tools', 'run', 'wild', '--args', JSON.stringify({ signal })]);
  expect(shellCode(ended)).toBe(130);
  expect(ended.stderr).toContain('It did not stop when told to and was left behind.');
}

export async function promptEnds(way: WayOfNotStopping, signal: EndingSignal): Promise<void> {
  const machine = openWith(waysOfNotStopping[way]);
  const ended = await machine.run(['-p', `use wild with signal=${signal}`, '--provider', 'offline']);
  expect(shellCode(ended)).toBe(130);
  const { stdout } = await machine.run(['sessions', 'show']);
  expect(stdout).toContain('was left behind');
}

export async function isAnsweredAtItsLimit(way: WayOfNotStopping): Promise<void> {
  const body = waysOfNotStopping[way];
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
}
