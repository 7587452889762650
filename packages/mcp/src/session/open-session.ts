import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { MissingPackage } from '@toolwright/machine/base/optional-package.js';
import { confinementHint } from '../contract/confinement-hint.js';
import { McpFailure, type McpServerInfo, type McpStage } from '../contract/connection.js';
import { lowerFirst, mcpFailure, quoteServer, seconds } from '../contract/failure.js';
import { withinLimit } from '../contract/within-limit.js';
import { type OpenTransport, openHttp, openSse, openStdio } from '../transports/open-transport.js';
import { askRevision, type Revision } from './ask-revision.js';
import {
  describeError,
  errorCodeOf,
  httpStatusOf,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
  WRONG_HEADER,
} from './describe-error.js';
import { openNewerWire } from './newer-wire.js';
import { createSession, type Session } from './session.js';
import { type Greeted, greetNewer, greetOlder, type SessionOptions } from './shake-hands.js';

export type OpenSession = (options: SessionOptions) => Promise<Session>;

type OpenTransportWith = (options: SessionOptions) => Promise<OpenTransport>;

/** The time a server is given to tell its revisions before it gets the older handshake. */
type AskingTime = 'none' | 'short' | 'full';

/** A program that does not know the question may say nothing, or end; over HTTP it refuses. */
const SHORT_MS = { stdio: 2_000, http: 5_000, sse: 0 };

/** Starts or reaches the server and shakes hands; what was started is gone when this fails. */
export const openSession: OpenSession = async (options) => {
  const { endpoint } = options.config;
  if (endpoint.kind === 'stdio') return openOver(options, openStdio).catch(unwrap);
  const overSse: OpenTransportWith = (within) => openSse(within, endpoint);
  if (endpoint.transport === 'sse') return attempt(options, overSse, 'none').catch(unwrap);
  return openOver(options, (within) => openHttp(within, endpoint)).catch((error: unknown) => {
    options.signal.throwIfAborted();
    if (endpoint.transport !== 'auto' || !(error instanceof HandshakeRefused) || !error.maybeOtherTransport)
      return unwrap(error);
    return attempt(options, overSse, 'none').catch((second: unknown) => {
      options.signal.throwIfAborted();
      throw both(error.failure, second);
    });
  });
};

/** Speaks the newest revision that the server knows: asked shortly first, and then in the way that its reaction suggests. */
async function openOver(options: SessionOptions, openWith: OpenTransportWith): Promise<Session> {
  const first = options.memory.fearsQuestion ? 'none' : 'short';
  try {
    return await attempt(options, openWith, first);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof HandshakeRefused) || error.retry === null) throw error;
    return await attempt(options, openWith, error.retry);
  }
}

function unwrap(error: unknown): never {
  throw error instanceof HandshakeRefused ? error.failure : error;
}

/** The failures of both transports in one, as nobody knows which of the two the server should have spoken. */
function both(first: McpFailure, second: unknown): McpFailure {
  const { server, stage, code } = first;
  const tried = second instanceof HandshakeRefused ? second.failure : second;
  const message = `${first.message}\nTried as an SSE server, too: ${messageOf(tried)}`;
  return new McpFailure({ server, stage, code, message, cause: tried });
}

interface Refusal {
  failure: McpFailure;
  /** The time another attempt should ask for; null when no other attempt would do better. */
  retry: AskingTime | null;
  /** The address may belong to a server of the older transport. */
  maybeOtherTransport: boolean;
}

/** The server is there but refuses this kind of handshake; another kind may do. */
class HandshakeRefused extends Error {
  readonly failure: McpFailure;
  readonly retry: AskingTime | null;
  readonly maybeOtherTransport: boolean;

  constructor({ failure, retry, maybeOtherTransport }: Refusal) {
    super(failure.message);
    this.failure = failure;
    this.retry = retry;
    this.maybeOtherTransport = maybeOtherTransport;
  }
}

async function attempt(
  options: SessionOptions,
  openWith: OpenTransportWith,
  askFor: AskingTime,
): Promise<Session> {
  const { needs } = options;
  await needs.beforeStart?.(options.signal);
  const startedAt = needs.clock.now();
  const open = await start(options, openWith);
  const spawnedAt = needs.clock.now();
  try {
    const greeted = await shakeHands(options, open, askFor);
    const timings = {
      spawnMs: open.kind === 'stdio' ? spawnedAt - startedAt : 0,
      initializeMs: needs.clock.now() - spawnedAt,
    };
    reportNoise(options, open);
    return createSession(greeted.requests, open, infoOf(options, open, { ...greeted, timings }));
  } catch (error) {
    await open.end();
    throw error;
  }
}

async function start(options: SessionOptions, openWith: OpenTransportWith): Promise<OpenTransport> {
  const { needs, limits, signal } = options;
  const late = () =>
    failure(options, 'start', { code: 'timeout', what: `it did not start within ${seconds(limits.spawn)}` });
  let opened: OpenTransport | null = null;
  const limit = { clock: needs.clock, limitMs: limits.spawn, signal, onLimit: late };
  return await withinLimit(async (within) => {
    opened = await openWith({ ...options, signal: within });
    if (within.aborted) await opened.end();
    return opened;
  }, limit).catch((error: unknown) => {
    if (signal.aborted || error instanceof McpFailure || error instanceof MissingPackage) throw error;
    throw failure(options, 'start', {
      code: isToolError(error) ? error.code : 'failed',
      what: lowerFirst(messageOf(error).replace(/\.$/, '')),
      advice: 'Its "command", "args", "env" and "cwd" are in the settings.',
      cause: error,
    });
  });
}

async function shakeHands(
  options: SessionOptions,
  open: OpenTransport,
  askFor: AskingTime,
): Promise<Greeted> {
  const { needs, limits, signal } = options;
  const limitMs = limits.initialize;
  const late = () =>
    failure(options, 'initialize', {
      code: 'timeout',
      what: `it did not answer within ${seconds(limitMs)}`,
      advice: `Check that it is an MCP server and what it waits for; \`toolwright mcp doctor ${options.config.alias}\` says more.`,
      stderrTail: open.stderrTail(),
    });
  const limit = { clock: needs.clock, limitMs, isPaused: open.isSigningIn, signal, onLimit: late };
  let printed = '';
  void open.noise?.then((line) => {
    printed = line;
  });
  const asked: Asked = { askFor, objection: null, isSilent: false };
  return await withinLimit((within) => greet(options, open, { asked, signal: within }), limit).catch(
    (error: unknown) => {
      if (signal.aborted) throw signal.reason;
      if (error instanceof McpFailure || error instanceof MissingPackage) throw error;
      throw refusalOf(options, open, { error, asked, printed });
    },
  );
}

/** The question for revisions, and what came of it. */
interface Asked {
  askFor: AskingTime;
  /** The error with which a server of the newer revision answered; null when there was none. */
  objection: unknown;
  isSilent: boolean;
}

async function greet(
  options: SessionOptions,
  open: OpenTransport,
  { asked, signal }: { asked: Asked; signal: AbortSignal },
): Promise<Greeted> {
  if (asked.askFor === 'none') return greetOlder(options, open, signal);
  const { answers, needs, memory } = options;
  const wire = await openNewerWire({
    transport: open.transport,
    isPipe: open.kind === 'stdio',
    capabilities: answers.newerCapabilities,
    wantsLog: needs.onLog !== undefined,
    onNotification: (method, params) => hearNotification(options, method, params),
  });
  const revision = await askWithin(options, open, {
    askFor: asked.askFor,
    ask: (within) => askRevision(wire, within),
    signal,
  });
  if (revision?.era === 'newer') {
    memory.fearsQuestion = false;
    return greetNewer(options, open, { wire, ...revision });
  }
  asked.objection = revision?.objection ?? null;
  asked.isSilent = revision === null;
  if (open.ending() !== null) throw new Error('it ended when it was asked for its revisions');
  wire.release();
  const greeted = await greetOlder(options, open, signal);
  memory.fearsQuestion = asked.isSilent;
  return greeted;
}

function hearNotification(
  { answers, onListChanged, onResourceChanged }: SessionOptions,
  method: string,
  params: JsonObject,
): void {
  const list = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) onListChanged(list as 'tools' | 'prompts' | 'resources');
  if (method === 'notifications/resources/updated') onResourceChanged(String(params['uri']));
  if (method === 'notifications/message') answers.hearLog(params);
}

interface Asking {
  askFor: AskingTime;
  ask(signal: AbortSignal): Promise<Revision>;
  signal: AbortSignal;
}

/** The answer to the question for revisions; null when none came in time. */
async function askWithin(
  { needs, limits }: SessionOptions,
  open: OpenTransport,
  { askFor, ask, signal }: Asking,
): Promise<Revision | null> {
  if (askFor === 'full') return ask(signal);
  const silence = new Error('silent');
  const limit = {
    clock: needs.clock,
    limitMs: Math.min(SHORT_MS[open.kind], limits.initialize / 2),
    isPaused: open.isSigningIn,
    signal,
    onLimit: () => silence,
  };
  return withinLimit(ask, limit).catch((error: unknown) => {
    if (error === silence) return null;
    throw error;
  });
}

interface Refused {
  error: unknown;
  asked: Asked;
  /** The first line on standard output that was no message. */
  printed: string;
}

function refusalOf(
  options: SessionOptions,
  open: OpenTransport,
  { error, asked, printed }: Refused,
): HandshakeRefused {
  const wantsNewer = isNewerServer(error);
  const shown = wantsNewer && asked.objection !== null ? asked.objection : error;
  const { what, code } = describeError(shown, open.ending());
  const noise =
    printed === '' ? '' : ` (it printed "${quoteServer(printed, 100)}", which is not an MCP message)`;
  const hint = open.confined ? confinementHint(options.config, 'start', open.stderrTail()) : null;
  const explained = failure(options, 'initialize', {
    code,
    what: `${what}${noise}`,
    advice: hint ?? undefined,
    cause: shown,
    stderrTail: open.stderrTail(),
  });
  const wasAsked = asked.askFor !== 'none' && !asked.isSilent;
  const endedWhenAsked = open.kind === 'stdio' && asked.askFor === 'short' && open.ending() !== null;
  if (endedWhenAsked) options.memory.fearsQuestion = true;
  const status = httpStatusOf(error) ?? 0;
  return new HandshakeRefused({
    failure: explained,
    retry: endedWhenAsked ? 'none' : wantsNewer && !wasAsked ? 'full' : null,
    maybeOtherTransport: !wantsNewer && status >= 400 && status < 500 && status !== 401 && status !== 403,
  });
}

const NEWER: ReadonlySet<number | null> = new Set([
  METHOD_NOT_FOUND,
  WRONG_HEADER,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
]);

/** A server that refuses the older handshake in this way knows the newer revision. */
function isNewerServer(error: unknown): boolean {
  return NEWER.has(errorCodeOf(error));
}

function failure(
  { config }: SessionOptions,
  stage: McpStage,
  trouble: Omit<Parameters<typeof mcpFailure>[0], 'server' | 'stage'>,
): McpFailure {
  return mcpFailure({ server: config.alias, stage, ...trouble });
}

/** Tolerated, but its author should know. */
function reportNoise({ config, needs }: SessionOptions, open: OpenTransport): void {
  void open.noise?.then((line) => {
    const text = `The server prints text that is not an MCP message to its standard output ("${quoteServer(line, 100)}"). It is ignored; it belongs on standard error.`;
    needs.log.debug(`MCP server ${config.alias}: ${text}`);
    needs.onLog?.({ server: config.alias, level: 'warning', text });
  });
}

function infoOf(
  { config }: SessionOptions,
  { kind, confined }: OpenTransport,
  { described, timings }: Pick<Greeted, 'described'> & Pick<McpServerInfo, 'timings'>,
): McpServerInfo {
  const { capabilities, ...names } = described;
  return {
    alias: config.alias,
    ...names,
    transport: kind,
    confined,
    offers: {
      tools: capabilities['tools'] !== undefined,
      prompts: capabilities['prompts'] !== undefined,
      resources: capabilities['resources'] !== undefined,
      resourceChanges:
        isJsonObject(capabilities['resources']) && capabilities['resources']['subscribe'] === true,
      completions: capabilities['completions'] !== undefined,
      logging: capabilities['logging'] !== undefined,
      tasks: offersTasks(capabilities),
    },
    timings,
  };
}

/** The newer revision has tasks as an extension; before, they were part of the protocol. */
function offersTasks({ extensions, tasks }: JsonObject): boolean {
  if (isJsonObject(extensions) && extensions['io.modelcontextprotocol/tasks'] !== undefined) return true;
  const requests = isJsonObject(tasks) ? tasks['requests'] : undefined;
  const tools = isJsonObject(requests) ? requests['tools'] : undefined;
  return isJsonObject(tools) && tools['call'] !== undefined;
}
