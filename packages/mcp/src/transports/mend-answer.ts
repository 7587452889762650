import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** JSON-RPC's code for an error inside the server. */
const INTERNAL_ERROR = -32_603;
const SHOWN = 200;

/**
 * An answer as the standard wants it. One that is only untidy is tidied; one that says nothing becomes an error that
 * quotes it, because whoever asked would otherwise wait until the time limit. Null when nobody asked for it.
 */
export function mendAnswer(message: JsonObject): JsonObject | null {
  if ('method' in message) return message;
  const { id, result, error } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (isError(error)) return message;
  if (isJsonObject(result) && (error === undefined || error === null)) return { jsonrpc: '2.0', id, result };
  const shown = JSON.stringify(message).slice(0, SHOWN);
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INTERNAL_ERROR, message: `it answered with neither a result nor an error: ${shown}` },
  };
}

function isError(error: unknown): boolean {
  return isJsonObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
}
