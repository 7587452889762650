import { formatBytes } from '@toolwright/machine/base/amounts.js';
import type { ToolErrorCode } from '@toolwright/machine/base/errors.js';
import type { CapturedOutput, Ended } from '@toolwright/machine/host/processes/processes.js';
import { messageForUser } from '../display/message-for-user.js';
import type { ToolResult } from '../tools.js';
import { askedAtEnd, askedByRead, describeAsked } from './asked-at-end.js';
import { DEFAULT_LIMIT_MS, type ShellCall } from './call.js';
import { takeStatuses, withoutTelling } from './output/pipeline-statuses.js';
import { plainOutput } from './output/plain-output.js';

/** A command that has ended, and what is to be said of it. */
export interface ReportInput {
  ended: Ended;
  call: Pick<ShellCall, 'params' | 'facts'>;
  mark: string;
  /** Sentences that follow the one about how it ended. */
  notes: readonly string[];
  changeSet?: string;
}

/** The result of a command that has ended: for the model and for the user. */
export function reportOf({ ended, call, mark, notes, changeSet }: ReportInput): ToolResult {
  const { parts, statuses } = readParts(ended.stdout, mark);
  const asked = askedIn(ended, parts.at(-1) ?? '', call);
  const said = [
    ...endLines(ended, statuses, { ...call, asked }),
    ...(asked === null ? [] : [describeAsked(asked)]),
    ...notes,
  ];
  const printed = withoutLastLineEnd(parts);
  // Joined once: each step between would copy megabytes.
  const joinedLines = (lines: readonly string[]): string =>
    joinText([...printed, ...lines.map((line) => `\n[${line.replace(/\.$/, '')}]`)]);
  return {
    llmContent: joinedLines(said),
    // Nobody needs to be told of a command that it went well.
    returnDisplay: joinedLines(said.filter((line) => line !== WENT_WELL).map(messageForUser)),
    error: errorOf(ended, said[0]?.replace(/\.$/, '')),
    exitStatus: ended.stopped ? undefined : (ended.exitCode ?? ended.signal ?? undefined),
    changeSet,
    forScript: { value: { output: parts.join(''), exit_code: ended.exitCode } },
  };
}

/** At its time limit a command may still wait at its question; a `read` of the shell would have ended at once. */
function askedIn({ stopped }: Ended, output: string, call: ReportInput['call']): string | null {
  if (stopped && stopped.kind !== 'timeout') return null;
  return askedAtEnd(output) ?? (stopped ? null : askedBy(call));
}

function askedBy({ params: { command }, facts: { analysis } }: ReportInput['call']): string | null {
  return askedByRead(command, analysis.commands);
}

const WENT_WELL = 'exit code 0';

function withoutLastLineEnd(parts: readonly string[]): string[] {
  const filled = parts.filter((part) => part !== '');
  const last = filled.pop() ?? '(no output)';
  return [...filled, last.endsWith('\n') ? last.slice(0, -1) : last];
}

/** The output as plain text, with a line in place of the middle that was too much to keep. */
export function readOutput(
  captured: CapturedOutput,
  mark: string,
): { output: string; statuses: number[] | null } {
  const { parts, statuses } = readParts(captured, mark);
  return { output: parts.join(''), statuses };
}

function readParts(
  { head, tail, omittedBytes, totalBytes, isBinary }: CapturedOutput,
  mark: string,
): { parts: string[]; statuses: number[] | null } {
  // The exit codes come last. Joining head and tail would copy megabytes.
  const last = takeStatuses(omittedBytes > 0 ? tail : head + tail, mark);
  const { statuses } = last;
  if (isBinary) return { parts: [`(${formatBytes(totalBytes)} of output that is not text)`], statuses };
  if (omittedBytes === 0) return { parts: [plainOutput(last.output)], statuses };
  const first = plainOutput(withoutTelling(head, mark));
  // ASCII only: one other character would double the memory of the joined text.
  const gap = `\n[${formatBytes(omittedBytes)} between were not kept]\n`;
  return { parts: [first, gap, plainOutput(last.output)], statuses };
}

/** Beginning and end of the output, for a question that shows little of it. */
export function beginningAndEnd(captured: CapturedOutput, most: number): CapturedOutput {
  const { head, tail, omittedBytes } = captured;
  const all = omittedBytes > 0 ? [head, tail] : [head + tail, ''];
  const [first = '', last = ''] = all;
  if (first.length + last.length <= 2 * most) return captured;
  const middle = first.slice(most);
  const end = last.length < most ? middle.slice(last.length - most) + last : last.slice(-most);
  const cut = Buffer.byteLength(middle) + Buffer.byteLength(last) - Buffer.byteLength(end);
  return { ...captured, head: first.slice(0, most), tail: end, omittedBytes: omittedBytes + cut };
}

function endLines(ended: Ended, statuses: number[] | null, call: EndedCall): string[] {
  const { survivors, left } = ended;
  const { totalBytes, omittedBytes, isBinary } = ended.stdout;
  const lines = [howItEnded(ended, call)];
  if (statuses && statuses.length > 1 && statuses.some((status) => status !== 0))
    lines.push(`exit codes along the pipeline: ${statuses.join(', ')}`);
  if (omittedBytes > 0 && !isBinary)
    lines.push(
      `it printed ${formatBytes(totalBytes)}; ${formatBytes(omittedBytes)} in the middle were not kept`,
    );
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

/** Background processes end with the sandbox before anybody can see them. */
function mayLeaveSomething({ facts: { analysis, sandbox } }: ReportInput['call']): boolean {
  const waits = analysis.commands?.some(([program]) => program === 'wait') ?? false;
  return sandbox.confined && analysis.background && !waits;
}

function processes(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}

type EndedCall = ReportInput['call'] & { asked: string | null };

function howItEnded({ stopped, exitCode, signal }: Ended, { params, asked }: EndedCall): string {
  switch (stopped?.kind) {
    case 'timeout': {
      const seconds = (params.timeout ?? DEFAULT_LIMIT_MS) / 1000;
      const end = `stopped at the time limit of ${seconds} s, with everything it had started`;
      if (asked !== null) return end;
      return `${end}. The same command would hit the same limit: give a larger timeout, or is_background for what does not end by itself`;
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
  return { code, message: line };
}

/** Node keeps longer strings that it decodes outside the heap of V8. */
const LEAST_OUTSIDE = 1024 * 1024;

/** Joins texts. Megabytes of ASCII are joined outside the heap of V8, which need not be collected because of them. */
export function joinText(parts: readonly string[]): string {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length < LEAST_OUTSIDE || !parts.every(isAscii)) return parts.join('');
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) at += bytes.write(part, at, 'latin1');
  return bytes.toString('latin1');
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
