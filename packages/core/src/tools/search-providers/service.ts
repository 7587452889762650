import { isToolError } from '@toolwright/machine/base/errors.js';
import { jsonIn } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Http } from '@toolwright/machine/host/http/http.js';
import { HttpError } from '@toolwright/machine/host/http/http-error.js';
import { type JsonReader, readerOf } from './json-reader.js';
import { SearchError, type SearchFailure } from './search-provider.js';

const MOST_BYTES = 4 * 1024 * 1024;
const IDLE_MS = 30_000;
const TOTAL_MS = 60_000;

/** A search service behind HTTP: its address, and how it refuses. */
export interface Service {
  label: string;
  http: Http;
  /** Without a slash at its end. */
  baseUrl: string;
  /** Kept out of every message. */
  apiKey: string;
  /** Meaning of a failure that says more than its status. */
  judge?(status: number, body: JsonReader): SearchFailure | undefined;
}

export interface ServiceRequest {
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
  signal: AbortSignal;
}

/** The JSON answer of the service, or a `SearchError` that says what stands in the way. */
export async function ask(service: Service, request: ServiceRequest): Promise<JsonReader> {
  const url = new URL(`${service.baseUrl}${request.path}`);
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  const within = deadlineIn(TOTAL_MS, request.signal);
  try {
    const response = await service.http.request({
      url,
      headers: {
        accept: 'application/json',
        'content-type': request.body === undefined ? undefined : 'application/json',
        ...request.headers,
      },
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      signal: within,
      idleTimeoutMs: IDLE_MS,
    });
    const text = await readText(response.body, service.label);
    if (response.status !== 200) {
      throw failure(service, { status: response.status, headers: response.headers, text });
    }
    return parsed(text, service.label);
  } catch (error) {
    request.signal.throwIfAborted();
    if (isToolError(error)) throw error;
    if (within.aborted) throw unreachable(service.label, `it took longer than ${TOTAL_MS / 1000} s`);
    if (error instanceof HttpError) throw unreachable(service.label, withoutKey(error.message, service));
    throw error;
  }
}

async function readText(body: AsyncIterable<Uint8Array>, label: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MOST_BYTES)
      throw new SearchError('answer', `${label} sent an answer that is too long to read.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string, label: string): JsonReader {
  try {
    return readerOf(JSON.parse(text));
  } catch {
    throw new SearchError(
      'answer',
      `${label} did not answer with JSON but with "${excerpt(text)}". Check web.search.baseUrl.`,
    );
  }
}

interface ServiceRefusal {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function failure(service: Service, { status, headers, text }: ServiceRefusal): SearchError {
  const body = readerOf(jsonIn(text));
  const reason = service.judge?.(status, body) ?? byStatus(status, text);
  const said = withoutKey(`${status}${explanation(body, text)}`, service);
  const wait = Number(headers['retry-after']);
  return new SearchError(
    reason,
    sentences(service.label, said, wait > 0 ? ` for ${wait} s` : ' a little')[reason],
  );
}

function byStatus(status: number, text: string): SearchFailure {
  if (status === 401 || status === 403) return 'key';
  if (status === 402) return 'quota';
  if (status === 429)
    return /quota|credit|monthly|per month|per day|daily|plan/i.test(text) ? 'quota' : 'rate';
  return status >= 500 || status === 408 ? 'unreachable' : 'answer';
}

function sentences(label: string, said: string, wait: string): Record<SearchFailure, string> {
  return {
    key: `${label} refused the key (${said}). Searching again will not help: the user has to correct web.search.apiKey in the settings.`,
    quota: `The quota at ${label} is used up (${said}). Searching again will not help until it is renewed; the user can raise it there or name another provider in web.search.provider.`,
    rate: `${label} is being asked too often (${said}). Wait${wait} and search again.`,
    setup: `${label} is not set up for this (${said}).`,
    unreachable: `${label} could not answer (${said}). Try again later.`,
    answer: `${label} did not accept the request (${said}).`,
  };
}

function unreachable(label: string, reason: string): SearchError {
  return new SearchError(
    'unreachable',
    `${label} could not be asked: ${reason.replace(/\.$/, '')}. Try again later.`,
  );
}

function explanation(body: JsonReader, text: string): string {
  const found = [
    body.at('error', 'message'),
    body.at('error', 'detail'),
    body.at('detail', 'error'),
    body.at('message'),
    body.at('detail'),
    body.at('error'),
  ]
    .map((reader) => reader.text)
    .find((message) => message !== '');
  const said = found ?? excerpt(text);
  return said === '' ? '' : `: ${said.slice(0, 200)}`;
}

function excerpt(text: string): string {
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 120);
}

function withoutKey(text: string, { apiKey }: Service): string {
  return apiKey === '' ? text : text.replaceAll(apiKey, '***');
}
