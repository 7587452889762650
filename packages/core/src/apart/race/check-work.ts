import { messageOf } from '@toolwright/machine/base/errors.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { plainOutput } from '../../tools/shell/output/plain-output.js';
import { type TriedCommand, type TryNeeds, tryCommand } from '../try-command.js';
import type { CheckResult } from './race-state.js';

export interface Check {
  /** A command line for bash. */
  command: string;
  limitMs: number;
}

export interface CheckWorkOptions extends Check {
  clock: Pick<Clock, 'now'>;
  signal: AbortSignal;
}

/** Runs the check on a copy of the session's view, so that what it writes is no part of the session's work. */
export async function checkWork(
  needs: TryNeeds,
  { command, limitMs, clock, signal }: CheckWorkOptions,
): Promise<CheckResult> {
  const startedAt = clock.now();
  const output = openTail();
  const result = (passed: boolean, ended: string): CheckResult => ({
    passed,
    ended,
    output: output.lines(),
    durationMs: clock.now() - startedAt,
  });
  try {
    const tried = await tryCommand(needs, {
      command,
      input: 'none',
      signal: deadlineIn(limitMs, signal),
      onBytes: output.add,
    });
    await tried.drop();
    return result(tried.exitCode === 0 && !tried.stopped, endOf(tried, limitMs));
  } catch (error) {
    return result(false, messageOf(error));
  }
}

function endOf({ exitCode, signal, stopped }: TriedCommand, limitMs: number): string {
  if (stopped?.kind === 'timeout') return `stopped at its time limit of ${limitMs / 1_000} s`;
  if (stopped) return stopped.message ?? 'cancelled';
  return exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
}

const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 20;

/** Holds the end of what a command prints. */
function openTail(): { add(bytes: Buffer): void; lines(): string } {
  let tail = Buffer.alloc(0);
  return {
    add(bytes) {
      tail = Buffer.concat([tail, bytes]).subarray(-TAIL_BYTES);
    },
    lines: () => plainOutput(tail.toString('utf8')).trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
  };
}
