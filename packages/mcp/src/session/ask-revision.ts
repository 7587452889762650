import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { McpFailure, type McpIcon } from '../contract/connection.js';
import { quoteServer } from '../contract/failure.js';
import { plainText } from '../contract/plain-text.js';
import { readIcons } from '../lists/icons.js';
import {
  errorCodeOf,
  httpStatusOf,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
  WRONG_HEADER,
} from './describe-error.js';
import { NEWEST_REVISION, type NewerWire } from './newer-wire.js';

/** A server of the newer revision, as it describes itself. */
export interface Discovered {
  capabilities: JsonObject;
  name: string;
  version: string;
  instructions: string;
  icons?: McpIcon[];
}

export type Revision =
  | { era: 'newer'; discovered: Discovered }
  /** The server gets the handshake of the older revisions. The objection is that of a server that knows the newer one all the same. */
  | { era: 'older'; objection: unknown };

/** Asks which revisions the server speaks. Throws what no handshake could mend. */
export async function askRevision(wire: NewerWire, signal: AbortSignal): Promise<Revision> {
  const ask = () => wire.request('server/discover', {}, { signal });
  const answer = await ask()
    .catch((error: unknown) => {
      // A server that objects to the revision and names it all the same may mean the request before it was ready.
      if (errorCodeOf(error) === UNSUPPORTED_VERSION && supportedIn(error).includes(NEWEST_REVISION))
        return ask();
      throw error;
    })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      return revisionOfRefusal(error);
    });
  return 'era' in answer ? (answer as Revision) : readDiscovered(answer);
}

/** Reads the answer to `server/discover`. One that is no description comes from a server that does not know the question. */
export function readDiscovered(answer: JsonObject): Revision {
  const versions = textsIn(answer['supportedVersions']);
  if (versions.length === 0) return { era: 'older', objection: null };
  if (!versions.includes(NEWEST_REVISION)) return olderOf(versions, null);
  const { capabilities, instructions, _meta } = answer;
  const meta = isJsonObject(_meta) ? _meta : {};
  const info = [meta['io.modelcontextprotocol/serverInfo'], answer['serverInfo']].find(isJsonObject) ?? {};
  return {
    era: 'newer',
    discovered: {
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      name: onOneLine(info['name']).slice(0, 200),
      version: onOneLine(info['version']).slice(0, 100),
      icons: readIcons(info['icons']),
      instructions: typeof instructions === 'string' ? plainText(instructions).slice(0, 20_000) : '',
    },
  };
}

/** Older servers refuse the question in many ways, so that only what has nothing to do with it is thrown on. */
function revisionOfRefusal(error: unknown): Revision {
  const code = errorCodeOf(error);
  if (code === UNSUPPORTED_VERSION) return olderOf(supportedIn(error), error);
  if (code === WRONG_HEADER || code === MISSING_CAPABILITY) return { era: 'older', objection: error };
  const status = httpStatusOf(error);
  if (error instanceof McpFailure || status === 401 || status === 403) throw error;
  return { era: 'older', objection: null };
}

/** Revisions are days, so that the newer one has the later date. */
function olderOf(versions: string[], objection: unknown): Revision {
  if (versions.length === 0 || versions.some((version) => version < NEWEST_REVISION))
    return { era: 'older', objection };
  throw new Error(
    `it speaks other revisions of the protocol only: ${quoteServer(versions.join(', '), 200)}; ${NEWEST_REVISION} is the newest one here`,
  );
}

function supportedIn(error: unknown): string[] {
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  return isJsonObject(data) ? textsIn(data['supported']) : [];
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Names stand inside sentences of ours. */
export function onOneLine(text: unknown): string {
  return typeof text === 'string' ? plainText(text).replace(/\s+/g, ' ') : '';
}
