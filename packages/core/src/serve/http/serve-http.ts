import type { ServerNotifier } from '@modelcontextprotocol/server';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Clock, Log } from '@toolwright/machine/host/host.js';
import { type LoopbackServer, listenOnLoopback } from '@toolwright/machine/host/web/loopback-server.js';
import type { ServedChange } from '../offers/offers.js';
import { MOST_FOLLOWED } from '../offers/subscriptions.js';
import { loadServerSdk } from '../server-sdk.js';
import type { Serving } from '../serving.js';
import { PATH, refusalOf, refuse } from './gate.js';
import { createListenGate } from './listen-gate.js';
import { paramHeaderProblem } from './param-headers.js';
import { openSessions } from './sessions.js';

export interface HttpOptions {
  /** 0 stands for any port that is free. */
  port: number;
  token: string;
  clock: Clock;
  log: Log;
  maxBodyBytes?: number;
}

export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MOST_STREAMS = 64;
const MOST_STREAMS_PER_CLIENT = 16;

/** Serves streamable HTTP on this machine to whoever has the token; throws when the port is taken. */
export async function serveHttp(serving: Serving, options: HttpOptions): Promise<HttpServing> {
  const { port, token, clock, log, maxBodyBytes = MAX_BODY_BYTES } = options;
  const sdk = await loadServerSdk();
  const modern = sdk.createMcpHandler(() => serving.connection('modern').server, {
    legacy: 'reject',
    maxSubscriptions: MOST_STREAMS,
    onerror: (error) => log.debug('mcp serve', error.message),
  });
  const listenGate = createListenGate({
    mostPerClient: MOST_STREAMS_PER_CLIENT,
    mostResources: MOST_FOLLOWED,
    hasResource: serving.hasResource,
  });
  const answerModern = async (request: Request, body: unknown): Promise<Response> => {
    const refused = contradiction(request, body, serving);
    const serve = () => modern.fetch(request, { parsedBody: body });
    const isListening = isJsonObject(body) && body['method'] === 'subscriptions/listen';
    return refused ?? (isListening ? listenGate.pass(body, request.signal, serve) : serve());
  };
  const sessions = await openSessions({ clock, connect: () => serving.connection('legacy') });
  const listener: LoopbackServer = await listenOnLoopback({
    port,
    maxBodyBytes,
    log,
    refusal: (request) => refusalOf(request, token),
    async answer(request, text) {
      const parsed = request.method === 'POST' ? parse(request, text, sdk.isJsonContentType) : undefined;
      if (parsed instanceof Response) return parsed;
      if (await sdk.isLegacyRequest(request, parsed)) return sessions.answer(request, parsed);
      return answerModern(request, parsed);
    },
  });
  const unlisten = serving.onChange((change) => {
    notify(modern.notify, change);
    sessions.tell(change);
  });
  return {
    url: `http://127.0.0.1:${listener.port}${PATH}`,
    async close() {
      unlisten();
      await serving.close();
      await modern.close();
      await sessions.close();
      await listener.close();
    },
  };
}

const HEADER_MISMATCH = -32_020;

/** The refusal of a call whose headers say something else than its arguments. */
function contradiction({ headers }: Request, body: unknown, serving: Serving): Response | null {
  if (!isJsonObject(body) || body['method'] !== 'tools/call' || !isJsonObject(body['params'])) return null;
  const { name, arguments: args } = body['params'];
  const schema = typeof name === 'string' ? serving.schemaOf(name) : null;
  const message = schema && paramHeaderProblem(schema, isJsonObject(args) ? args : {}, headers);
  if (!message) return null;
  const error = { code: HEADER_MISMATCH, message };
  return Response.json({ jsonrpc: '2.0', id: body['id'] ?? null, error }, { status: 400 });
}

function notify(notifier: ServerNotifier, change: ServedChange): void {
  if (change.kind === 'resource') notifier.resourceUpdated(change.uri);
  else if (change.kind === 'resources') notifier.resourcesChanged();
  else if (change.kind === 'prompts') notifier.promptsChanged();
  else notifier.toolsChanged();
}

function parse(
  { headers }: Request,
  text: string,
  isJson: (header: string | null) => boolean,
): Record<string, unknown> | unknown[] | Response {
  if (!isJson(headers.get('content-type')))
    return refuse(415, 'Send JSON, and say so: Content-Type: application/json.');
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) || Array.isArray(value)) return value;
  } catch {
    // Answered below with status 400.
  }
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'The body is not a JSON-RPC message.' } },
    { status: 400 },
  );
}
