import { canonical } from '@toolwright/machine/base/canonical-json.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { changedTool, type FailedCall, lostCall, refusedCall } from '../calls/call-failures.js';
import { readCallResult } from '../calls/read-result.js';
import { type CallParts, sendCall } from '../calls/send-call.js';
import { confinementHint } from '../contract/confinement-hint.js';
import {
  type McpCallOptions,
  type McpCallResult,
  McpFailure,
  type McpToolDefinition,
} from '../contract/connection.js';
import { type Described, describeError } from '../session/describe-error.js';
import type { Session } from '../session/session.js';
import type { LastingSession } from './lasting-session.js';

export interface ToolCaller extends CallParts {
  lasting: LastingSession;
  /** The tools as this session defines them; listed once for it. */
  toolsOf(session: Session, signal: AbortSignal): Promise<ReadonlyMap<string, McpToolDefinition>>;
  /** The latest definition that was seen, in whatever session; null when the tool was never listed. */
  known(name: string): McpToolDefinition | null;
}

export interface WantedCall extends McpCallOptions {
  name: string;
  args: JsonObject;
}

/** A call, sent again only where that can do no harm. */
export async function callTool(caller: ToolCaller, call: WantedCall): Promise<McpCallResult> {
  const session = await caller.lasting.get(call.signal);
  if (call.consented) await refuseChanged(caller, { session, call, agreed: call.consented });
  const first = await attempt(caller, session, call);
  if ('result' in first) return first.result;
  if (first.failed.described.kind === 'lost') return await callAgain(caller, call, first.failed);
  if (!(await visitAddresses(caller, first.failed.cause, call.signal))) throw refusedCall(first.failed);
  return await lastAttempt(caller, session, call);
}

type Attempt = { result: McpCallResult } | { failed: FailedCall };

async function attempt(caller: ToolCaller, session: Session, call: WantedCall): Promise<Attempt> {
  const { name, signal } = call;
  try {
    const answer = await sendCall(caller, { ...call, session });
    const result = readCallResult(answer, caller.known(name)?.outputSchema ?? null);
    return { result: withHint(caller, session, result) };
  } catch (cause) {
    if (signal.aborted || cause instanceof McpFailure) throw cause;
    const described = describeError(cause, session.ending());
    return { failed: { server: caller.config.alias, name, session, described, cause } };
  }
}

/** A confined server that failed may have met the sandbox: whoever reads the answer should know. */
function withHint({ config }: ToolCaller, { info }: Session, result: McpCallResult): McpCallResult {
  if (!result.isError || !info.confined) return result;
  const text = result.parts.map((part) => part.text ?? '').join('\n');
  const hint = confinementHint(config, 'call', text);
  return hint === null ? result : { ...result, warnings: [...result.warnings, hint] };
}

async function lastAttempt(caller: ToolCaller, session: Session, call: WantedCall): Promise<McpCallResult> {
  const last = await attempt(caller, session, call);
  if ('result' in last) return last.result;
  throw refusedCall(last.failed);
}

/** After the session was lost under the call: on a new one, when the tool there is the same and may be repeated. */
async function callAgain(caller: ToolCaller, call: WantedCall, failed: FailedCall): Promise<McpCallResult> {
  const { name, signal } = call;
  const { described, session } = failed;
  const known = caller.known(name);
  const agreed = call.consented ?? known?.asSent ?? null;
  session.giveUp(described.what);
  const hopeless = whyNotRepeated(caller, known, described);
  if (hopeless !== null) throw lostCall(failed, hopeless);
  const renewed = await caller.lasting.get(signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw lostCall({ ...failed, cause }, 'it could not be reached again');
  });
  const tool = (await caller.toolsOf(renewed, signal)).get(name);
  if (!tool) throw lostCall(failed, 'the server came back without this tool');
  if (agreed && !isSame(agreed, tool.asSent))
    throw lostCall(failed, 'the server came back with another definition of this tool');
  const why = whyNotRepeated(caller, tool, described);
  if (why !== null) throw lostCall(failed, why);
  const result = await lastAttempt(caller, renewed, call);
  return { ...result, replayed: described.reached === 'maybe' };
}

/** Null when a second call does no harm: it never arrived, or it may be made twice and the server's word counts. */
function whyNotRepeated(
  { config }: ToolCaller,
  tool: McpToolDefinition | null,
  { reached }: Described,
): string | null {
  if (reached === 'no') return null;
  if (tool && !tool.hints.idempotent) return 'the tool does not say that a second call changes nothing';
  return config.trust ? null : 'the server is not trusted to repeat calls';
}

interface Agreement {
  session: Session;
  call: WantedCall;
  agreed: JsonObject;
}

async function refuseChanged(caller: ToolCaller, { session, call, agreed }: Agreement): Promise<void> {
  const tool = (await caller.toolsOf(session, call.signal)).get(call.name);
  if (!tool || !isSame(tool.asSent, agreed))
    throw changedTool(caller.config.alias, call.name, tool !== undefined);
}

function isSame(left: JsonObject, right: JsonObject): boolean {
  return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
}

const URL_ELICITATION_REQUIRED = -32_042;
const MOST_ADDRESSES = 5;

/** A server may want the person to visit addresses first. True when they did, every one of them. */
async function visitAddresses(
  { answers }: ToolCaller,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(error instanceof Error && 'code' in error && error.code === URL_ELICITATION_REQUIRED)) return false;
  const wanted = 'data' in error && isJsonObject(error.data) ? error.data['elicitations'] : undefined;
  if (!answers.elicit || !Array.isArray(wanted) || wanted.length === 0 || wanted.length > MOST_ADDRESSES)
    return false;
  for (const address of wanted) {
    if (!isJsonObject(address)) return false;
    const params = {
      mode: 'url' as const,
      message: String(address['message'] ?? ''),
      url: String(address['url'] ?? ''),
      elicitationId: String(address['elicitationId'] ?? ''),
    };
    if ((await answers.elicit(params, signal)).action !== 'accept') return false;
  }
  return true;
}
