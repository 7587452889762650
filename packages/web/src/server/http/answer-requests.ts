import type { IncomingMessage, ServerResponse } from 'node:http';
import { isToolError, SettingsError } from '@toolwright/core';
import { jsonObjectIn, messageOf } from '@toolwright/core/front-end';
import type { WebApi, WebMethod } from '../../wire/wire.js';
import { NotFound } from '../sessions/session-index.js';
import { safeHeaders } from './guard.js';

/** A function for each request of the page. */
export type Methods = {
  [Method in WebMethod]: (
    given: WebApi[Method]['takes'],
    signal: AbortSignal,
  ) => Promise<WebApi[Method]['gives']>;
};

/** Requests that change something: refused with `--read-only`. */
const changing: ReadonlySet<WebMethod> = new Set([
  'answer',
  'answer/task',
  'prompt',
  'prompt/cancel',
  'prompt/task',
  'undo',
  'undo/keep',
  'undo/drop',
]);

/** The largest request: attachments are part of it, as Base64. */
const MOST_BYTES = 48 * 1024 * 1024;

interface Answering {
  methods: Methods;
  readOnly: boolean;
  /** Reports a bug; gives a sentence for the user. */
  report(error: unknown): Promise<string>;
}

export async function answerRequest(
  name: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { methods, readOnly, report }: Answering,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    if (!Object.hasOwn(methods, name)) throw new Refused(404, `There is no request ${name.slice(0, 50)}.`);
    if (readOnly && changing.has(name as WebMethod))
      throw new Refused(403, 'This page only shows: the program was started with --read-only.');
    const given = await bodyOf(request);
    const method = methods[name as WebMethod] as (given: unknown, signal: AbortSignal) => Promise<unknown>;
    sendJson(response, 200, await method(given, gone.signal));
  } catch (error) {
    if (gone.signal.aborted) return;
    const status = statusOf(error);
    const message = status === 500 ? await report(error) : messageOf(error);
    sendJson(response, status, { error: message });
  }
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A mistake in a request or a state of things that the user should know, and not a bug. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

function statusOf(error: unknown): number {
  if (error instanceof Refused) return error.status;
  if (error instanceof NotFound) return 404;
  return error instanceof Problem || error instanceof SettingsError || isToolError(error) ? 422 : 500;
}

async function bodyOf(request: IncomingMessage): Promise<object> {
  if (request.headers['content-type'] !== 'application/json')
    throw new Refused(415, 'The body must be application/json.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES)
      throw new Refused(413, 'The request is too large: attachments may have 32 MB together.');
    chunks.push(chunk as Buffer);
  }
  const value = jsonObjectIn(Buffer.concat(chunks).toString('utf8'));
  if (value) return value;
  throw new Refused(400, 'The body must be a JSON object.');
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    ...safeHeaders,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(value ?? null));
}
