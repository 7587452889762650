import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Ended, Machine } from '../program.js';

/** Ways of not stopping, as the body of `run`. The last three block the thread itself, not only its loop of events. */
export const waysOfNotStopping = {
  spins: 'for (;;);',
  'ignores its signal': 'await new Promise(() => setInterval(() => undefined, 1000));',
  'waits for a command that does not end': "require('node:child_process').execSync('sleep 600 | sleep 600');",
  'waits for a lock that nobody opens': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
  'reads a pipe that nobody writes to':
    "require('node:fs').readFileSync(require('node:path').join(__dirname, '_pipe'));",
};

export type WayOfNotStopping = keyof typeof waysOfNotStopping;
export const waysNamed = Object.keys(waysOfNotStopping) as WayOfNotStopping[];

/** Node can't end a thread that is in the middle of this, so the program is ended by a signal at its exit. */
export const blocksForGood = (body: string): boolean => body.includes('_pipe');

/** The exit code as a shell shows it. */
export function shellCode({ code, signal }: Pick<Ended, 'code' | 'signal'>): number {
  return code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

/** A tool file `wild` that does not stop; it sends the program a signal when it begins, if told to. */
export function addWildTool({ state }: Machine, body: string, more = ''): void {
  const folder = join(state, 'tools');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync('mkfifo', [join(folder, '_pipe')]);
  writeFileSync(
    join(folder, 'wild.js'),
    `module.exports = {
  apiVersion: 1, name: 'wild', description: 'Does not stop.',
  parameters: { type: 'object', properties: { calm: { type: 'boolean' }, signal: { type: 'string' } } },
  effects: () => [],
  ${more}
  async run({ calm, signal }, { update }) {
    if (calm) return 'calm';
    update('It begins.');
    if (signal) process.kill(process.pid, signal);
    ${body}
  },
};
`,
  );
}
