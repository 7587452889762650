import { canonical } from '../../base/canonical-json.js';
import { isJsonObject, type JsonObject } from '../../base/json.js';
import {
  type McpCallOptions,
  type McpCallResult,
  McpFailure,
  type McpToolDefinition,
} from '../connection.js';
import { type Described, describeError } from '../describe-error.js';
import { mcpFailure, quoteServer } from '../failure.js';
import type { LastingSession } from '../lasting-session.js';
import type { Session } from '../session.js';
import { readCallResult } from './read-result.js';
import { type CallParts, sendCall } from './send-call.js';

export interface ToolCaller extends CallParts {
  lasting: LastingSession;
  /** The tools as this session defines them; listed once for it. */
  toolsOf(session: Session, signal: AbortSignal): Promise<ReadonlyMap<string, McpToolDefinition>>;
  /** The latest definition that was seen, in whatever session; null when the tool was never listed. */
  known(name: string): McpToolDefinition | null;
}

const URL_ELICITATION_REQUIRED = -32_042;
const INVALID_PARAMS = -32_602;

/** A call, sent again only where that can do no harm. */
export async function callTool(
  caller: ToolCaller,
  name: string,
  args: JsonObject,
  options: McpCallOptions,
): Promise<McpCallResult> {
  const { signal } = options;
  const session = await caller.lasting.get(signal);
  const expected = options.consented ?? null;
  const call = { ...options, name, args };
  try {
    if (expected) await refuseChanged(caller, { session, name, expected, signal });
    return read(caller, name, await sendCall(caller, { ...call, session }));
  } catch (error) {
    if (signal.aborted || error instanceof McpFailure) throw error;
    if (await openAddresses(caller, error, signal))
      return read(caller, name, await sendCall(caller, { ...call, session }));
    const described = describeError(error, session.ending());
    if (described.kind !== 'lost') throw refused(caller, { name, described, session, cause: error });
    session.giveUp(described.what);
    const again = await caller.lasting.get(signal).catch((failure: unknown) => {
      signal.throwIfAborted();
      throw lost(caller, { name, described, session, why: 'it could not be reached again', cause: failure });
    });
    const before = expected ?? caller.known(name)?.asSent ?? null;
    const tools = await caller.toolsOf(again, signal);
    const why = whyNotAgain(caller, { tool: tools.get(name), before, described });
    if (why !== null) throw lost(caller, { name, described, session, why, cause: error });
    const result = read(
      caller,
      name,
      await sendCall(caller, { ...call, session: again }).catch((failure: unknown) => {
        if (signal.aborted || failure instanceof McpFailure) throw failure;
        const second = describeError(failure, again.ending());
        throw refused(caller, { name, described: second, session: again, cause: failure });
      }),
    );
    return { ...result, replayed: described.reached === 'maybe' };
  }
}

function read(caller: ToolCaller, name: string, result: JsonObject): McpCallResult {
  return readCallResult(result, caller.known(name)?.outputSchema ?? null);
}

function isSame(left: JsonObject, right: JsonObject): boolean {
  return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
}

interface Expectation {
  session: Session;
  name: string;
  expected: JsonObject;
  signal: AbortSignal;
}

async function refuseChanged(
  caller: ToolCaller,
  { session, name, expected, signal }: Expectation,
): Promise<void> {
  const tool = (await caller.toolsOf(session, signal)).get(name);
  if (tool && isSame(tool.asSent, expected)) return;
  const { alias } = caller.config;
  throw mcpFailure({
    server: alias,
    stage: 'call',
    code: tool ? 'denied' : 'unknown_tool',
    what: tool
      ? `it now defines the tool "${quoteServer(name)}" otherwise than what was agreed to`
      : `it no longer offers the tool "${quoteServer(name)}"`,
    advice: `Nothing was called. \`toolwright mcp accept ${alias}\` shows what changed.`,
  });
}

interface Repetition {
  tool: McpToolDefinition | undefined;
  before: JsonObject | null;
  described: Described;
}

/** Null when the call may be sent a second time. */
function whyNotAgain({ config }: ToolCaller, { tool, before, described }: Repetition): string | null {
  if (!tool) return 'the server came back without this tool';
  if (before && !isSame(before, tool.asSent))
    return 'the server came back with another definition of this tool';
  if (described.reached === 'no') return null;
  if (!tool.hints.idempotent) return 'the tool does not say that a second call changes nothing';
  return config.trust ? null : 'the server is not trusted to repeat calls';
}

interface Refusal {
  name: string;
  described: Described;
  session: Session;
  cause: unknown;
}

function refused({ config }: ToolCaller, { name, described, session, cause }: Refusal): McpFailure {
  const isOurs = cause instanceof Error && 'code' in cause && cause.code === INVALID_PARAMS;
  return mcpFailure({
    server: config.alias,
    stage: 'call',
    code: isOurs ? 'invalid_params' : described.code,
    what: `the tool "${quoteServer(name)}" was not carried out: ${described.what}`,
    advice: isOurs
      ? "Check the arguments against the tool's schema."
      : `\`toolwright mcp doctor ${config.alias}\` tries each stage and says more.`,
    stderrTail: session.stderrTail(),
    cause,
  });
}

function lost(
  { config }: ToolCaller,
  { name, described, session, why, cause }: Refusal & { why: string },
): McpFailure {
  const effect =
    described.reached === 'no'
      ? 'The call did not reach it.'
      : 'Whether the call took effect is not known: check before calling again.';
  return mcpFailure({
    server: config.alias,
    stage: 'call',
    what: `it was lost during the call of "${quoteServer(name)}" (${described.what}), and the call was not repeated: ${why}`,
    advice: effect,
    stderrTail: session.stderrTail(),
    cause,
  });
}

/** A server may want the person to visit an address first. True when they did, for every one of them. */
async function openAddresses({ answers }: ToolCaller, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (!(error instanceof Error && 'code' in error && error.code === URL_ELICITATION_REQUIRED)) return false;
  const data = 'data' in error && isJsonObject(error.data) ? error.data['elicitations'] : undefined;
  if (!answers.elicit || !Array.isArray(data) || data.length === 0 || data.length > 5) return false;
  for (const wanted of data) {
    if (!isJsonObject(wanted)) return false;
    const params = {
      mode: 'url' as const,
      message: String(wanted['message'] ?? ''),
      url: String(wanted['url'] ?? ''),
      elicitationId: String(wanted['elicitationId'] ?? ''),
    };
    if ((await answers.elicit(params, signal)).action !== 'accept') return false;
  }
  return true;
}
