import type { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { isToolError, messageOf, type ToolErrorCode } from '@toolwright/machine/base/errors.js';
import { HttpError } from '@toolwright/machine/host/http/http-error.js';
import { lowerFirst, quoteServer } from '../contract/failure.js';
import { LOST_REQUEST } from '../transports/lost-requests.js';

/**
 * What an error of a request means. `lost`: the session is over; `maybe` when the server may have seen the request.
 * `answer`: the server said no. `other`: the session goes on.
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

/** By shape: the library is loaded only where it is used. */
function isHttpAnswer(error: unknown): error is SdkHttpError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number';
}

function isServerError(error: unknown): error is ProtocolError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
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
