import type { Finding } from '@toolwright/core/testing';
import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { McpCallResult, McpConnection, McpToolDefinition } from '@toolwright/mcp/contract/connection.js';
import { type DoctorFinding, named } from './examination.js';

export interface ExaminedServer {
  connection: McpConnection;
  clock: Clock;
  /** The folder in which no call may change a file. */
  workspace: string;
  signal: AbortSignal;
}

const MOST_CALLS = 5;
const ANSWER_MS = 5_000;
const NO_SUCH_TOOL = 'toolwright_doctor_no_such_tool';

/** Calls only tools that say that they only read and that need no arguments; the others are named. */
export async function callFindings(
  server: ExaminedServer,
  tools: readonly McpToolDefinition[],
): Promise<DoctorFinding[]> {
  const harmless = tools.filter(isHarmless);
  const called = harmless.slice(0, MOST_CALLS);
  const findings: DoctorFinding[] = [];
  const { watchReadOnlyCall } = await import('@toolwright/core/testing');
  for (const tool of called) {
    const changes = watchReadOnlyCall(server.workspace);
    const tried = await tryCall(server, tool);
    const lies = changes().map((finding) => ofClaim(tool, finding));
    const isTrue = lies.length === 0 && tried.level === 'ok';
    findings.push(isTrue ? { ...tried, trueClaim: tool.name } : tried, ...lies);
  }
  return [...findings, ...uncalled(tools, called.length)];
}

function isHarmless({ hints, inputSchema }: McpToolDefinition): boolean {
  const { required } = inputSchema;
  return hints.readOnly && (!Array.isArray(required) || required.length === 0);
}

function uncalled(tools: readonly McpToolDefinition[], called: number): DoctorFinding[] {
  const changing = tools.filter(({ hints }) => !hints.readOnly).map(({ name }) => name);
  const needing = tools.filter((tool) => tool.hints.readOnly && !isHarmless(tool)).map(({ name }) => name);
  const many = tools.length - changing.length - needing.length - called;
  const reasons = [
    ...(changing.length > 0 ? [`${named(changing)} (not annotated as read-only)`] : []),
    ...(needing.length > 0 ? [`${named(needing)} (arguments are required)`] : []),
    ...(many > 0 ? [`${plural(many, 'more tool')} (${MOST_CALLS} were enough)`] : []),
  ];
  if (reasons.length === 0) return [];
  return [{ stage: 'calls', level: 'note', what: `not called: ${reasons.join('; ')}` }];
}

function ofClaim({ name }: McpToolDefinition, { message, changed = [] }: Finding): DoctorFinding {
  return {
    stage: 'calls',
    level: 'problem',
    what: `${name}: ${message}`,
    advice: 'Leave readOnlyHint out, or change no file.',
    falseClaim: { tool: name, changed },
  };
}

async function tryCall(
  { connection, clock, signal }: ExaminedServer,
  { name }: McpToolDefinition,
): Promise<DoctorFinding> {
  const startedAt = clock.now();
  const took = (): string => `${clock.now() - startedAt} ms`;
  try {
    const result = await connection.callTool(name, {}, { signal });
    if (result.isError)
      return {
        stage: 'calls',
        level: 'warning',
        what: `${name} without arguments failed after ${took()}: ${clip(textIn(result))}`,
        advice: 'Mark what it needs as required in its input schema, or let it work without.',
      };
    if (result.warnings.length > 0)
      return {
        stage: 'calls',
        level: 'problem',
        what: `${name} answered after ${took()}, but: ${result.warnings.join(' ')}`,
        advice: 'Let the result fit the output schema, and the types that the content names.',
      };
    return { stage: 'calls', level: 'ok', what: `${name} answered after ${took()}: ${describe(result)}` };
  } catch (error) {
    signal.throwIfAborted();
    return { stage: 'calls', level: 'problem', what: `${name}: ${messageOf(error)}` };
  }
}

function describe(result: McpCallResult): string {
  const bytes = Buffer.byteLength(JSON.stringify(result.parts));
  const structured = result.structured ? ', structured content' : '';
  return `${plural(result.parts.length, 'part')}, ${formatBytes(bytes)}${structured}`;
}

function textIn({ parts }: McpCallResult): string {
  return parts.map(({ text = '' }) => text).join(' ');
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Calls a tool that does not exist: models misspell names, and that must cost an error and nothing else. */
export async function unknownToolFinding({
  connection,
  clock,
  signal,
}: ExaminedServer): Promise<DoctorFinding> {
  const stage = 'mistakes';
  const advice = 'Answer it with an error (-32602) and carry on.';
  const what = 'a call of a tool that does not exist';
  const limit = new AbortController();
  const ended = new AbortController();
  clock.sleep(ANSWER_MS, ended.signal).then(
    () => limit.abort('not answered in time'),
    () => undefined,
  );
  const within = AbortSignal.any([signal, limit.signal]);
  const isRefused = await connection.callTool(NO_SUCH_TOOL, {}, { signal: within }).then(
    ({ isError }) => isError,
    () => true,
  );
  ended.abort();
  signal.throwIfAborted();
  if (limit.signal.aborted)
    return {
      stage,
      level: 'problem',
      what: `${what} was not answered within ${ANSWER_MS / 1_000} s`,
      advice,
    };
  if (connection.state !== 'ready')
    return { stage, level: 'problem', what: `${what} ended the server`, advice };
  if (!isRefused)
    return { stage, level: 'problem', what: `${what} was answered as if it had worked`, advice };
  return { stage, level: 'ok', what: `${what} is refused, and the server carries on` };
}

/** Withdraws a request at once; the next one must be answered. Listing does no harm, so it serves for this. */
export async function cancellationFinding({
  connection,
  clock,
  signal,
}: ExaminedServer): Promise<DoctorFinding> {
  const stage = 'cancellation';
  const withdrawn = new AbortController();
  const request = connection.listTools(withdrawn.signal).catch(() => undefined);
  await clock.sleep(0, signal);
  withdrawn.abort('withdrawn, to see what happens');
  await request;
  const startedAt = clock.now();
  try {
    await connection.listTools(signal);
  } catch (error) {
    signal.throwIfAborted();
    return {
      stage,
      level: 'problem',
      what: `after a request was withdrawn the next one failed: ${messageOf(error)}`,
      advice: 'Expect notifications/cancelled at any time, also for requests that are answered already.',
    };
  }
  const took = clock.now() - startedAt;
  return {
    stage,
    level: 'ok',
    what: `after a request was withdrawn the next one was answered in ${took} ms`,
  };
}
