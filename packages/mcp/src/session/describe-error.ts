import type { SdkHttpError } from '@modelcontextprotocol/client';
import { isToolError, messageOf, type ToolErrorCode } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { HttpError } from '@toolwright/machine/host/http/http-error.js';
import { lowerFirst, quoteServer } from '../contract/failure.js';
import { LOST_REQUEST } from '../transports/lost-requests.js';

export const METHOD_NOT_FOUND = -32_601;
/** Errors of servers that know the newer revision: of the headers that repeat the message, of what the client offers, of the revision. */
export const WRONG_HEADER = -32_020;
export const MISSING_CAPABILITY = -32_021;
export const UNSUPPORTED_VERSION = -32_022;

/** The server answered a request with an error. */
export class ServerAnswerError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/**
 * The meaning of a failed request. `lost`: the session is over; `maybe` when the server may have seen the request. `answer`: the server
 * said no. `other`: the session goes on.
 */
export interface DescribedError {
  kind: 'lost' | 'answer' | 'other';
  reached: 'no' | 'maybe';
  what: string;
  code: ToolErrorCode;
}

export function describeError(error: unknown, ending: string | null): DescribedError {
  const lost = (what: string, reached: 'no' | 'maybe'): DescribedError => ({
    kind: 'lost',
    reached,
    what,
    code: 'failed',
  });
  if (isHttpAnswer(error)) return describeStatus(error);
  if (error instanceof HttpError)
    return lost(lowerFirst(error.message.replace(/\.$/, '')), error.kind === 'unreachable' ? 'no' : 'maybe');
  if (isServerError(error)) {
    if (error.code === LOST_REQUEST)
      return lost(ending ?? 'the connection broke off before the answer came', 'maybe');
    // The server was replaced by one that speaks another revision; nothing was carried out.
    if (error.code === UNSUPPORTED_VERSION)
      return lost('it no longer speaks the revision of this session', 'no');
    const said = quoteServer(messageOf(error).replace(/^MCP error -?\d+: /, ''), 1_000);
    return {
      kind: 'answer',
      reached: 'maybe',
      what: `it answered with error ${error.code}: ${said}`,
      code: 'failed',
    };
  }
  if (ending !== null) return lost(ending, 'maybe');
  const what = quoteServer(messageOf(error), 500);
  return { kind: 'other', reached: 'maybe', what, code: isToolError(error) ? error.code : 'failed' };
}

/** Recognises the error by its shape: the library is loaded only where it is used. */
function isHttpAnswer(error: unknown): error is SdkHttpError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}

function isServerError(error: unknown): error is Error & { code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

export function httpStatusOf(error: unknown): number | null {
  return isHttpAnswer(error) ? (error.status ?? null) : null;
}

/** The number of an error that the server sent, whether as a message or as the text of an HTTP status. */
export function errorCodeOf(error: unknown): number | null {
  if (isHttpAnswer(error)) return jsonErrorIn(error)?.code ?? null;
  return isServerError(error) ? error.code : null;
}

/** The error that stands in the text of an HTTP status; null when the text is something else, or the status speaks for itself. */
export function jsonErrorIn(error: unknown): ServerAnswerError | null {
  if (!isHttpAnswer(error) || error.status === 401 || error.status === 403) return null;
  try {
    const body: unknown = JSON.parse(String(error.data?.['text']));
    const found = isJsonObject(body) ? body['error'] : undefined;
    if (!isJsonObject(found) || typeof found['code'] !== 'number') return null;
    return new ServerAnswerError(found['code'], String(found['message'] ?? ''), found['data']);
  } catch {
    return null;
  }
}

function describeStatus(error: SdkHttpError): DescribedError {
  const text = typeof error.data?.['text'] === 'string' ? quoteServer(error.data['text'], 300) : '';
  const isGone = error.status === 404 || error.status === 410;
  return {
    kind: isGone ? 'lost' : 'other',
    reached: 'no',
    what: `it answered with HTTP status ${error.status}${text === '' ? '' : `: ${text}`}`,
    code: error.status === 401 || error.status === 403 ? 'denied' : 'failed',
  };
}
