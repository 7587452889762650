import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { type FailedCall, lostCall, refusedCall, withoutConsent } from '../calls/call-failures.js';
import { consentProblem } from '../calls/consent.js';
import { readCallResult } from '../calls/read-result.js';
import { sendCall } from '../calls/send-call.js';
import { confinementHint } from '../contract/confinement-hint.js';
import {
  type McpCallOptions,
  type McpCallResult,
  McpFailure,
  type McpToolDefinition,
} from '../contract/connection.js';
import type { ServerContext } from '../contract/needs.js';
import { paramHeadersFor, paramHeadersIn } from '../lists/param-headers.js';
import type { Answers } from '../server-requests/answers.js';
import { type DescribedError, describeError, errorCodeOf, WRONG_HEADER } from '../session/describe-error.js';
import { mirrorsArguments, TOOLS } from '../session/read-list.js';
import type { Session } from '../session/session.js';
import type { ListMemory } from './list-memory.js';
import type { ServerLife } from './server-life.js';

export interface ToolCaller extends ServerContext {
  answers: Answers;
  life: ServerLife;
  lists: ListMemory;
}

export interface AcceptedCallOptions extends McpCallOptions {
  /** The definition that the user accepted; null when there is none. Unless given every tool may be called. */
  accepted?: JsonObject | null;
}

export interface WantedCall extends AcceptedCallOptions {
  name: string;
  args: JsonObject;
}

/** Calls a tool, and sends the call again only where that can do no harm. */
export function callTool(caller: ToolCaller, call: WantedCall): Promise<McpCallResult> {
  return caller.life.use(async (session) => {
    const agreed = agreedTo(call);
    if (agreed.length > 0) {
      const problem = consentProblem({ tool: await definitionIn(caller, session, call), agreed });
      if (problem) throw withoutConsent(caller.config.alias, call.name, problem);
    }
    const first = await attempt(caller, session, call);
    if ('result' in first) return first.result;
    if (first.failed.described.kind === 'lost') return callAgain(caller, call, first.failed);
    if (errorCodeOf(first.failed.cause) === WRONG_HEADER && mirrorsArguments(session.info))
      await askForHeaders(caller, session, call);
    else if (!(await visitAddresses(caller, first.failed.cause, call.signal)))
      throw refusedCall(first.failed);
    return lastAttempt(caller, session, call);
  }, call.signal);
}

/** The headers of the call did not fit: the tool's schema is not the one that they were made from. */
async function askForHeaders(caller: ToolCaller, session: Session, call: WantedCall): Promise<void> {
  const agreed = agreedTo(call);
  const { items } = await caller.lists.read(TOOLS, session, call.signal);
  if (agreed.length === 0) return;
  const problem = consentProblem({ tool: items.find(({ name }) => name === call.name), agreed });
  if (problem) throw withoutConsent(caller.config.alias, call.name, problem);
}

/** The definitions that bind a call: the one that the caller knew, and the one that the user accepted. */
function agreedTo({ consented, accepted }: WantedCall): (JsonObject | null)[] {
  return [consented, accepted].filter((definition) => definition !== undefined);
}

async function definitionIn(
  { lists }: ToolCaller,
  session: Session,
  { name, signal }: WantedCall,
): Promise<McpToolDefinition | undefined> {
  return (await lists.of(TOOLS, session, signal)).items.find((tool) => tool.name === name);
}

function latestDefinition({ lists }: ToolCaller, name: string): McpToolDefinition | undefined {
  return lists.latest(TOOLS)?.items.find((tool) => tool.name === name);
}

/** The definition that says how a call is sent; asked for only where that makes a difference. */
async function definitionFor(
  caller: ToolCaller,
  session: Session,
  call: WantedCall,
): Promise<McpToolDefinition | undefined> {
  const { info } = session;
  return info.offers.tasks || mirrorsArguments(info)
    ? definitionIn(caller, session, call)
    : latestDefinition(caller, call.name);
}

const EARLIER_TASK =
  'This is the result of the task that the same call started before; it was not started a second time.';

type Attempt = { result: McpCallResult } | { failed: FailedCall };

async function attempt(caller: ToolCaller, session: Session, call: WantedCall): Promise<Attempt> {
  const { name, signal } = call;
  try {
    const tool = await definitionFor(caller, session, call);
    const { answer, isOfEarlierTask } = await sendCall(caller, {
      ...call,
      session,
      headers: headersOf(session, tool, call),
      asTask: tool?.asTask === true,
      renew: (until) => caller.life.use(async (next) => next, until),
    });
    const result = readCallResult(answer, tool?.outputSchema ?? null);
    if (isOfEarlierTask) result.warnings.push(EARLIER_TASK);
    return { result: withHint(caller, session, result) };
  } catch (cause) {
    if (signal.aborted || cause instanceof McpFailure) throw cause;
    const described = describeError(cause, session.ending());
    return { failed: { server: caller.config.alias, name, session, described, cause } };
  }
}

function headersOf(
  { info }: Session,
  tool: McpToolDefinition | undefined,
  { args }: WantedCall,
): Record<string, string> | undefined {
  const declared = tool && mirrorsArguments(info) ? paramHeadersIn(tool.inputSchema) : [];
  return typeof declared === 'string' ? undefined : paramHeadersFor(declared, args);
}

/** Adds a hint to the failure of a confined server, which may have met the sandbox. */
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

/** Repeats a call whose session was lost, in a new session, when the tool there is the same and may be repeated. */
async function callAgain(caller: ToolCaller, call: WantedCall, failed: FailedCall): Promise<McpCallResult> {
  const { described, session } = failed;
  const known = latestDefinition(caller, call.name);
  const agreed = agreedTo(call);
  session.giveUp(described.what);
  const hopeless = whyNotRepeated(caller, known, described);
  if (hopeless !== null) throw lostCall(failed, hopeless);
  const renewed = await caller.life
    .use(async (next) => next, call.signal)
    .catch((cause: unknown) => {
      call.signal.throwIfAborted();
      throw lostCall({ ...failed, cause }, 'it could not be reached again');
    });
  const tool = await definitionIn(caller, renewed, call);
  const bound = agreed.length === 0 && known ? [known.asSent] : agreed;
  const problem = consentProblem({ tool, agreed: bound });
  const why =
    problem === 'gone'
      ? 'the server came back without this tool'
      : problem === 'changed'
        ? 'the server came back with another definition of this tool'
        : whyNotRepeated(caller, tool, described);
  if (why !== null) throw lostCall(failed, why);
  const result = await lastAttempt(caller, renewed, call);
  return { ...result, replayed: described.reached === 'maybe' };
}

/** Null when a second call does no harm: the first never arrived, or the tool may be called twice and the server's word counts. */
function whyNotRepeated(
  { config }: ToolCaller,
  tool: McpToolDefinition | undefined,
  { reached }: DescribedError,
): string | null {
  if (reached === 'no') return null;
  if (tool && !tool.hints.idempotent) return 'the tool does not say that a second call changes nothing';
  return config.trust ? null : 'the server is not trusted to repeat calls';
}

const URL_ELICITATION_REQUIRED = -32_042;
const MOST_ADDRESSES = 5;

/** Takes the user to the addresses that a server wants visited first. True when they visited every one of them. */
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
