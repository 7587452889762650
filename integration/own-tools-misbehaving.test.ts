import { expect, it } from 'vitest';
import { shellCode, type WayOfNotStopping, waysOfNotStopping } from './own-tools/misbehaving.js';
import {
  type EndingSignal,
  isAnsweredAtItsLimit,
  openWith,
  promptEnds,
  toolsRunEnds,
} from './own-tools/misbehaving-runs.js';

/** Each signal with one tool that can be ended and one that can not; the long test has all combinations. */
const [endable, blocked] = ['spins', 'reads a pipe that nobody writes to'] as const;
const withSignals: [WayOfNotStopping, EndingSignal][] = [
  [endable, 'SIGINT'],
  [blocked, 'SIGTERM'],
];

it.concurrent.each(withSignals)('tools run with a tool that %s ends with one %s', toolsRunEnds);

it.concurrent.each<[WayOfNotStopping, EndingSignal]>([
  ['ignores its signal', 'SIGINT'],
  ['waits for a command that does not end', 'SIGTERM'],
])('a prompt with a tool that %s ends with one %s', promptEnds);

it.concurrent.each([endable, blocked])(
  'a tool that %s is answered at its limit, and the same file works at the next call',
  isAnsweredAtItsLimit,
);

it.concurrent('a second signal ends the program at once, whatever a tool does', async () => {
  const twice = "require('node:child_process').execSync('kill -INT $PPID; sleep 0.2; kill -INT $PPID');";
  const machine = openWith(twice + waysOfNotStopping['reads a pipe that nobody writes to']);
  const ended = await machine.run(['tools', 'run', 'wild']);
  expect([shellCode(ended), ended.stderr]).toEqual([130, '']);
});
