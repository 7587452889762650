import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { watchResponse } from './watched-response.js';

export interface ListenGateOptions {
  /** Streams that one client may hold open. */
  mostPerClient: number;
  /** Resources that one stream may follow. */
  mostResources: number;
  hasResource(uri: string, signal: AbortSignal): Promise<boolean>;
}

/** Lets clients of the newer revision listen for news, each to so many streams that none takes the places of all others. */
export interface ListenGate {
  /** Serves the request, or refuses it with the reason. */
  pass(body: JsonObject, signal: AbortSignal, serve: () => Promise<Response>): Promise<Response>;
}

const CLIENT = 'io.modelcontextprotocol/clientInfo';
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

export function createListenGate(options: ListenGateOptions): ListenGate {
  const { mostPerClient } = options;
  const open = new Map<string, number>();
  const add = (client: string, change: 1 | -1): void => {
    const left = (open.get(client) ?? 0) + change;
    if (left > 0) open.set(client, left);
    else open.delete(client);
  };
  return {
    async pass(body, signal, serve) {
      const problem = await resourceProblem(body, signal, options);
      if (problem) return refusal(body, { status: 400, code: INVALID_PARAMS, message: problem });
      const client = clientOf(body);
      if ((open.get(client) ?? 0) >= mostPerClient) {
        const message = `This client has ${mostPerClient} streams open already. End one of these streams, then try again.`;
        return refusal(body, { status: 429, code: INTERNAL_ERROR, message });
      }
      add(client, 1);
      const onEnd = (): void => add(client, -1);
      return serve().then(
        (response) => watchResponse(response, { onEnd }),
        (error: unknown) => {
          onEnd();
          throw error;
        },
      );
    },
  };
}

/** Clients have no other mark in that revision than what they call themselves. */
function clientOf({ params }: JsonObject): string {
  const meta = isJsonObject(params) ? params['_meta'] : null;
  return JSON.stringify(isJsonObject(meta) ? meta[CLIENT] : null) ?? '';
}

async function resourceProblem(
  { params }: JsonObject,
  signal: AbortSignal,
  { mostResources, hasResource }: ListenGateOptions,
): Promise<string | null> {
  const wanted = isJsonObject(params) && isJsonObject(params['notifications']) ? params['notifications'] : {};
  const uris = wanted['resourceSubscriptions'];
  if (!Array.isArray(uris)) return null;
  if (uris.length > mostResources) return `At most ${mostResources} resources are followed by one stream.`;
  for (const uri of uris)
    if (typeof uri !== 'string' || !(await hasResource(uri, signal)))
      return `There is no resource ${foreignText(String(uri))}.`;
  return null;
}

function refusal(
  { id }: JsonObject,
  { status, code, message }: { status: number; code: number; message: string },
): Response {
  return Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code, message } }, { status });
}
