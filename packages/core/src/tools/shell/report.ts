import { formatBytes } from '../../base/amounts.js';
import type { ToolErrorCode } from '../../base/errors.js';
import type { CapturedOutput, Ended } from '../../host/processes/processes.js';
import type { ToolResult } from '../tools.js';
import { DEFAULT_LIMIT_MS, type ShellCall } from './call.js';
import { takeStatuses } from './pipeline-statuses.js';
import { plainOutput } from './plain-output.js';

export interface Told {
  ended: Ended;
  call: Pick<ShellCall, 'params' | 'looked'>;
  mark: string;
  /** More to say, one sentence each, behind how it ended. */
  notes: readonly string[];
  changeSet?: string;
}

/** What the model reads of a command that has ended, and what the person sees. */
export function reportOf({ ended, call, mark, notes, changeSet }: Told): ToolResult {
  const { output, statuses } = readOutput(ended.stdout, mark);
  const lines = [...endLines(ended, statuses, call), ...notes].map((line) => `[${line.replace(/\.$/, '')}]`);
  const text = [output === '' ? '(no output)' : output.replace(/\n$/, ''), ...lines].join('\n');
  const error = errorOf(ended, lines[0]);
  return {
    llmContent: text,
    returnDisplay: text,
    ...(error ? { error } : {}),
    ...(changeSet === undefined ? {} : { changeSet }),
  };
}

/** The output as plain text, with a line in place of what was too much to keep. */
export function readOutput(
  { head, tail, omittedBytes, totalBytes, isBinary }: CapturedOutput,
  mark: string,
): { output: string; statuses: number[] | null } {
  const gap = omittedBytes > 0 ? `\n… ${formatBytes(omittedBytes)} not kept …\n` : '';
  const { output, statuses } = takeStatuses(`${head}${gap}${tail}`, mark);
  if (isBinary) return { output: `(${formatBytes(totalBytes)} of output that is not text)`, statuses };
  return { output: plainOutput(output), statuses };
}

function endLines(ended: Ended, statuses: number[] | null, call: Told['call']): string[] {
  const { survivors, left } = ended;
  const lines = [howItEnded(ended, call)];
  if (statuses && statuses.length > 1 && statuses.some((status) => status !== 0))
    lines.push(`exit codes along the pipeline: ${statuses.join(', ')}`);
  if (survivors.length > 0) {
    const names = survivors.slice(0, 3).map(({ command }) => command.slice(0, 80));
    if (survivors.length > names.length) names.push('…');
    lines.push(
      `${processes(survivors.length)} it left running ended with it: ${names.join(', ')}. ${NEEDS_JOB}`,
    );
  } else if (!ended.stopped && mayLeaveSomething(call)) {
    lines.push(`what it left running in the background ended with it. ${NEEDS_JOB}`);
  }
  if (left > 0) lines.push(`${processes(left)} could not be ended`);
  return lines;
}

const NEEDS_JOB = 'A server or watcher needs is_background';

/** In a sandbox what is left goes with it before anybody can see it. */
function mayLeaveSomething({ looked: { analysis, sandbox } }: Told['call']): boolean {
  const waits = analysis.commands?.some(([program]) => program === 'wait') ?? false;
  return sandbox.confined && analysis.background && !waits;
}

function processes(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}

function howItEnded({ stopped, exitCode, signal }: Ended, { params }: Told['call']): string {
  switch (stopped?.kind) {
    case 'timeout': {
      const seconds = (params.timeout ?? DEFAULT_LIMIT_MS) / 1000;
      return `stopped at the time limit of ${seconds} s, with everything it had started. The same command would meet the same limit: give a larger timeout, or is_background for what does not end by itself`;
    }
    case 'user':
      return 'cancelled by the user; everything it had started was ended';
    case 'shutdown':
      return 'stopped because the program is shutting down';
    case 'limit':
      return stopped.message ?? 'stopped at a limit';
    case 'input':
      return stopped.message ?? 'stopped because it waits for input that nobody can give';
    default:
      return exitCode === null ? `ended by ${signal ?? 'a signal'}` : `exit code ${exitCode}`;
  }
}

function errorOf({ stopped }: Ended, line = ''): ToolResult['error'] {
  if (!stopped) return undefined;
  const code: ToolErrorCode =
    stopped.kind === 'timeout' ? 'timeout' : stopped.kind === 'limit' ? 'too_large' : 'cancelled';
  return { code, message: line.slice(1, -1) };
}
