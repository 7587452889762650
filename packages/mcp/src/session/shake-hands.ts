import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { loadClientSdk } from '../contract/client-sdk.js';
import { quoteServer } from '../contract/failure.js';
import type { ServerContext } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import { readIcons } from '../lists/icons.js';
import type { Answers } from '../server-requests/answers.js';
import type { OpenTransport } from '../transports/open-transport.js';
import { type Discovered, onOneLine } from './ask-revision.js';
import { withInput } from './input-rounds.js';
import { createListener } from './keep-listening.js';
import { NEWEST_REVISION, type NewerWire, OURSELVES } from './newer-wire.js';
import type { Requests } from './session.js';

export interface SessionOptions extends ServerContext {
  answers: Answers;
  onListChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  /** A resource that was subscribed to has changed. */
  onResourceChanged(uri: string): void;
  memory: SessionMemory;
  signal: AbortSignal;
}

/** Knowledge that outlives a session of a server. */
export interface SessionMemory {
  /** The server ended, or said nothing, when it was asked for its revisions. */
  fearsQuestion: boolean;
}

/** A server that was greeted in one of the revisions: its description, and how it takes requests. */
export interface Greeted {
  described: Discovered & { protocolVersion: string };
  requests: Requests;
}

/** Time is kept by the caller, whose signal ends a request; the library's own clock must not interfere. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** Any object passes: results are read entry by entry here, so that one bad entry does not fail the whole answer. */
const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolwright',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'not an object' }] }),
  },
};

/** The handshake of the older revisions. */
export async function greetOlder(
  options: SessionOptions,
  { transport }: OpenTransport,
  signal: AbortSignal,
): Promise<Greeted> {
  const client = await createClient(options);
  await client.connect(transport, { signal, timeout: NO_LIMIT_MS });
  const version = client.getServerVersion();
  const request: Requests['request'] = (method, params, { signal: until, onProgress }) =>
    client.request({ method, params }, anyResult, {
      signal: until,
      timeout: NO_LIMIT_MS,
      onprogress: onProgress,
    });
  const requests: Requests = {
    request,
    watch: watchOneByOne(request),
    onClose: () => undefined,
    close: () => client.close().catch(() => undefined),
  };
  client.onclose = () => requests.onClose();
  return {
    requests,
    described: {
      capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
      name: onOneLine(version?.name).slice(0, 200),
      version: onOneLine(version?.version).slice(0, 100),
      icons: readIcons(version?.icons),
      instructions: plainText(client.getInstructions() ?? '').slice(0, 20_000),
      protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    },
  };
}

async function createClient(options: SessionOptions): Promise<Client> {
  const { answers, needs, config, onListChanged, onResourceChanged } = options;
  const { Client } = await loadClientSdk();
  const client = new Client(OURSELVES, { capabilities: answers.capabilities });
  client.onerror = (error) => needs.log.debug(`MCP server ${config.alias}: ${quoteServer(messageOf(error))}`);
  answers.register(client, () => onListChanged('tools'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    onResourceChanged(params.uri),
  );
  return client;
}

/** The older revisions subscribe to each resource by itself. */
function watchOneByOne(request: Requests['request']): Requests['watch'] {
  const watched = new Set<string>();
  return async (uris, signal) => {
    for (const uri of [...watched].filter((known) => !uris.includes(known))) {
      watched.delete(uri);
      await request('resources/unsubscribe', { uri }, { signal });
    }
    for (const uri of uris.filter((wanted) => !watched.has(wanted))) {
      await request('resources/subscribe', { uri }, { signal });
      watched.add(uri);
    }
  };
}

/** Requests whose result may want input before it is complete. */
const WITH_INPUT = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The newer revision has no handshake; what is left is to listen for changes. */
export function greetNewer(
  { answers, needs }: SessionOptions,
  { transport }: OpenTransport,
  { wire, discovered }: { wire: NewerWire; discovered: Discovered },
): Greeted {
  const life = new AbortController();
  const lists = wantedLists(discovered.capabilities);
  const listen = createListener({ wire, clock: needs.clock, signal: life.signal });
  const requests: Requests = {
    request: (method, params, options) =>
      WITH_INPUT.has(method)
        ? withInput(answers, (more) => wire.request(method, { ...params, ...more }, options), options.signal)
        : wire.request(method, params, options),
    async watch(uris, signal) {
      if (uris.length === 0) return void (await listen(lists, signal));
      const told = await listen({ ...lists, resourceSubscriptions: uris }, signal);
      requireTold(uris, told);
    },
    onClose: () => undefined,
    async close() {
      life.abort();
    },
  };
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    life.abort();
    requests.onClose();
  };
  // A server that does not acknowledge it may tell changes all the same.
  void listen(lists, life.signal).catch(() => undefined);
  return { requests, described: { ...discovered, protocolVersion: NEWEST_REVISION } };
}

/** A server may take up a part of a subscription. */
function requireTold(uris: readonly string[], { resourceSubscriptions: told }: JsonObject): void {
  const untold = uris.find((uri) => !Array.isArray(told) || !told.includes(uri));
  if (untold !== undefined) throw new Error(`it does not tell the changes of ${quoteServer(untold, 200)}`);
}

/** The lists whose changes the server would tell. */
function wantedLists(capabilities: JsonObject): JsonObject {
  const kinds = ['tools', 'prompts', 'resources'].filter((kind) => {
    const offered = capabilities[kind];
    return isJsonObject(offered) && offered['listChanged'] === true;
  });
  return Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]));
}
