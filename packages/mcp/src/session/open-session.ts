import type { Client } from '@modelcontextprotocol/client';
import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { MissingPackage } from '@toolwright/machine/base/optional-package.js';
import { loadClientSdk } from '../contract/client-sdk.js';
import { confinementHint } from '../contract/confinement-hint.js';
import { McpFailure, type McpServerInfo, type McpStage } from '../contract/connection.js';
import { lowerFirst, mcpFailure, quoteServer, seconds } from '../contract/failure.js';
import type { ServerContext } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import type { McpServerConfig } from '../contract/server-config.js';
import { withinLimit } from '../contract/within-limit.js';
import type { Answers } from '../server-requests/answers.js';
import { type OpenTransport, openHttp, openSse, openStdio } from '../transports/open-transport.js';
import { describeError } from './describe-error.js';
import { createSession, NO_LIMIT_MS, type Session } from './session.js';

export interface SessionOptions extends ServerContext {
  answers: Answers;
  onToolsChanged(): void;
  signal: AbortSignal;
}

export type OpenSession = (options: SessionOptions) => Promise<Session>;

type Era = 'initialize' | 'discover';

/** Starts or reaches the server and shakes hands; what was started is gone when this fails. */
export const openSession: OpenSession = async (options) => {
  const { endpoint } = options.config;
  const first: OpenTransportWith =
    endpoint.kind === 'stdio'
      ? (within) => openStdio(within)
      : endpoint.transport === 'sse'
        ? (within) => openSse(within, endpoint)
        : (within) => openHttp(within, endpoint);
  try {
    return await attempt(options, first, 'initialize');
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof HandshakeRefused)) throw error;
    if (error.wantsNewerProtocol) return await attempt(options, first, 'discover').catch(unwrap);
    if (endpoint.kind === 'http' && endpoint.transport === 'auto')
      return await attempt(options, (within) => openSse(within, endpoint), 'initialize').catch((second) => {
        options.signal.throwIfAborted();
        throw both(error.failure, second);
      });
    throw error.failure;
  }
};

function unwrap(error: unknown): never {
  throw error instanceof HandshakeRefused ? error.failure : error;
}

/** Nobody knows which of the two it should have been. */
function both(first: McpFailure, second: unknown): McpFailure {
  const { server, stage, code } = first;
  const message = `${first.message}\nTried as an SSE server, too: ${messageOf(second)}`;
  return new McpFailure({ server, stage, code, message, cause: second });
}

type OpenTransportWith = (options: SessionOptions) => Promise<OpenTransport>;

/** The server is there but refuses this kind of handshake; another kind may do. */
class HandshakeRefused extends Error {
  constructor(
    readonly failure: McpFailure,
    readonly wantsNewerProtocol: boolean,
  ) {
    super(failure.message);
  }
}

async function attempt(options: SessionOptions, openWith: OpenTransportWith, era: Era): Promise<Session> {
  const { needs, config } = options;
  await needs.beforeStart?.(options.signal);
  const startedAt = needs.clock.now();
  const open = await start(options, openWith);
  const spawnedAt = needs.clock.now();
  try {
    const client = await createClient(options, era);
    await shakeHands(options, client, open);
    const timings = {
      spawnMs: open.kind === 'stdio' ? spawnedAt - startedAt : 0,
      initializeMs: needs.clock.now() - spawnedAt,
    };
    reportNoise(options, open);
    listenForChanges(client);
    return createSession(client, open, infoOf({ client, config, open, timings }));
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
      advice: 'Its "command", "args", "env" and "cwd" stand in the settings.',
      cause: error,
    });
  });
}

async function createClient(options: SessionOptions, era: Era): Promise<Client> {
  const { Client } = await loadClientSdk();
  const client = new Client(
    { name: 'toolwright', version: '0.1.0' },
    {
      capabilities: options.answers.capabilities,
      ...(era === 'discover' ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  );
  client.onerror = (error) =>
    options.needs.log.debug(`MCP server ${options.config.alias}: ${quoteServer(messageOf(error))}`);
  options.answers.register(client, options.onToolsChanged);
  return client;
}

async function shakeHands(options: SessionOptions, client: Client, open: OpenTransport): Promise<void> {
  const { needs, limits, signal } = options;
  const limitMs = limits.initialize;
  const tail = () => ({ stderrTail: open.stderrTail() });
  const late = () =>
    failure(options, 'initialize', {
      code: 'timeout',
      what: `it did not answer within ${seconds(limitMs)}`,
      advice: `Check that it is an MCP server and what it waits for; \`toolwright mcp doctor ${options.config.alias}\` says more.`,
      ...tail(),
    });
  const limit = { clock: needs.clock, limitMs, isPaused: open.isSigningIn, signal, onLimit: late };
  let printed = '';
  void open.noise?.then((line) => {
    printed = line;
  });
  await withinLimit(
    (within) => client.connect(open.transport, { signal: within, timeout: NO_LIMIT_MS }),
    limit,
  ).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    if (error instanceof McpFailure) throw error;
    const { what, code } = describeError(error, open.ending());
    const noise =
      printed === '' ? '' : ` (it printed "${quoteServer(printed, 100)}", which is no MCP message)`;
    const hint = open.confined ? confinementHint(options.config, 'start', open.stderrTail()) : null;
    const explained = failure(options, 'initialize', {
      code,
      what: `${what}${noise}`,
      advice: hint ?? undefined,
      cause: error,
      ...tail(),
    });
    throw isRefusal(error) ? new HandshakeRefused(explained, wantsNewer(error)) : explained;
  });
}

const METHOD_NOT_FOUND = -32_601;
const UNSUPPORTED_VERSION = -32_022;

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = 'status' in error ? Number(error.status) : 0;
  return wantsNewer(error) || (status >= 400 && status < 500 && status !== 401 && status !== 403);
}

function wantsNewer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'status' in error ? codeInBody(error) : 'code' in error ? error.code : undefined;
  return code === METHOD_NOT_FOUND || code === UNSUPPORTED_VERSION;
}

/** Over HTTP the refusal may be the text of a status. */
function codeInBody(error: Error): unknown {
  const text = 'data' in error && isJsonObject(error.data) ? error.data['text'] : undefined;
  try {
    const body: unknown = JSON.parse(String(text));
    return isJsonObject(body) && isJsonObject(body['error']) ? body['error']['code'] : undefined;
  } catch {
    return undefined;
  }
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
    const text = `The server prints text that is no MCP message to its standard output ("${quoteServer(line, 100)}"). It is ignored; it belongs on standard error.`;
    needs.log.debug(`MCP server ${config.alias}: ${text}`);
    needs.onLog?.({ server: config.alias, level: 'warning', text });
  });
}

/** Asks to be told of changes, which the newer protocol does not do unasked. */
function listenForChanges(client: Client): void {
  if (client.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged) return;
  void client.listen({ toolsListChanged: true }).catch(() => undefined);
}

interface InfoSource {
  client: Client;
  config: McpServerConfig;
  open: Pick<OpenTransport, 'kind' | 'confined'>;
  timings: McpServerInfo['timings'];
}

function infoOf({ client, config, open, timings }: InfoSource): McpServerInfo {
  const capabilities = client.getServerCapabilities() ?? {};
  const version = client.getServerVersion();
  return {
    alias: config.alias,
    name: onOneLine(version?.name).slice(0, 200),
    version: onOneLine(version?.version).slice(0, 100),
    instructions: plainText(client.getInstructions() ?? '').slice(0, 20_000),
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    transport: open.kind,
    confined: open.confined,
    offers: {
      tools: capabilities.tools !== undefined,
      prompts: capabilities.prompts !== undefined,
      resources: capabilities.resources !== undefined,
      completions: capabilities.completions !== undefined,
      logging: capabilities.logging !== undefined,
    },
    timings,
  };
}

/** Names stand inside sentences of ours. */
function onOneLine(text = ''): string {
  return plainText(text).replace(/\s+/g, ' ');
}
