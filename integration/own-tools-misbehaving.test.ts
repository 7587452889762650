import { expect, it } from 'vitest';
import { shellCode, waysNamed, waysOfNotStopping } from './own-tools/misbehaving.js';
import {
  type EndingSignal,
  isAnsweredAtItsLimit,
  openWith,
  promptEnds,
  toolsRunEnds,
} from './own-tools/misbehaving-runs.js';

const signals: EndingSignal[] = ['SIGINT', 'SIGTERM'];
/** Each way with one signal here and with the other one there; all of them together are in the long test. */
const alternating = (first: number) =>
  waysNamed.map((way, index) => [way, signals[(index + first) % 2]!] as const);

it.concurrent.each(alternating(0))('tools run with a tool that %s ends with one %s', toolsRunEnds);

it.concurrent.each(alternating(1))('a prompt with a tool that %s ends with one %s', promptEnds);

it.concurrent.each(waysNamed)(
  'a tool that %s is answered at its limit, and the same file works at the next call',
  isAnsweredAtItsLimit,
);

it.concurrent('a second signal ends the program at once, whatever a tool does', async () => {
  const twice = "require('node:child_process').execSync('kill -INT $PPID; sleep 0.2; kill -INT $PPID');";
  const machine = openWith(twice + waysOfNotStopping['reads a pipe that nobody writes to']);
  const ended = await machine.run(['tools', 'run', 'wild']);
  expect([shellCode(ended), ended.stderr]).toEqual([130, '']);
});
