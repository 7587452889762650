import type { Socket } from 'node:net';
import { formatBytes } from '../../base/amounts.js';
import { isToolError, ToolError } from '../../base/errors.js';
import { deadlineIn } from '../deadline.js';
import { createHttp, type HttpResponse } from '../http/http.js';
import { HttpError } from '../http/http-error.js';
import { isSameHost, parseFetchUrl } from './fetch-url.js';
import { checkLiteral, type GuardOptions, guardedDial } from './guarded-dial.js';

interface FetchLimits {
  /** Bytes as received, compressed. */
  transferredBytes: number;
  decodedBytes: number;
  /** The time from the first look-up to the last byte, including redirects. */
  totalMs: number;
  /** Longest silence. */
  idleMs: number;
  redirects: number;
}

const fetchLimits: FetchLimits = {
  transferredBytes: 10 * 1024 * 1024,
  decodedBytes: 20 * 1024 * 1024,
  totalMs: 45_000,
  idleMs: 15_000,
  redirects: 5,
};

export interface GuardedHttpOptions extends GuardOptions {
  limits?: Partial<FetchLimits>;
  now?: () => number;
}

export interface FetchedPage {
  kind: 'page';
  url: string;
  status: number;
  /** Names are in lower case. */
  headers: Record<string, string>;
  bytes: Uint8Array;
  /** URLs that led here, the requested one first; empty without redirects. */
  redirects: string[];
  fromCache: boolean;
}

/** The page is on another host, which the user was not asked about; nothing was fetched from there. */
export interface FetchedElsewhere {
  kind: 'elsewhere';
  from: string;
  to: string;
  status: number;
}

export type Fetched = FetchedPage | FetchedElsewhere;

/** HTTP to public hosts only. Throws `ToolError`. */
export interface GuardedHttp {
  /** Throws at once for what the URL alone shows, before anyone is asked or reached. */
  check(url: string): void;
  fetch(url: string, options: { signal: AbortSignal }): Promise<Fetched>;
}

const HEADERS = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5',
  'user-agent': 'Toolwright (fetches single pages on behalf of a user)',
  connection: 'close',
};
const CACHE = { maxAgeMs: 15 * 60_000, maxBytes: 64 * 1024 * 1024 };
const WIRE_CHECK_MS = 50;

export function createGuardedHttp(options: GuardedHttpOptions = {}): GuardedHttp {
  const cache = createPageCache<FetchedPage>({ now: options.now ?? Date.now, ...CACHE });
  const limits = { ...fetchLimits, ...options.limits };
  const checked = (address: string): URL => {
    const url = parseFetchUrl(address);
    checkLiteral(url, options);
    return url;
  };
  return {
    check: (address) => void checked(address),
    async fetch(address, { signal }) {
      const url = checked(address);
      const kept = cache.get(url.href);
      if (kept) return { ...kept, fromCache: true };
      const fetched = await fetchInTime(url, { options, limits, signal });
      if (fetched.kind === 'page' && isKeepable(fetched)) cache.set(url.href, fetched, fetched.bytes.length);
      return fetched;
    },
  };
}

function isKeepable({ status, headers }: FetchedPage): boolean {
  return status === 200 && !/\bno-store\b/i.test(headers['cache-control'] ?? '');
}

interface FetchRun {
  options: GuardedHttpOptions;
  limits: FetchLimits;
  signal: AbortSignal;
}

async function fetchInTime(url: URL, run: FetchRun): Promise<Fetched> {
  const { signal, limits } = run;
  const within = deadlineIn(limits.totalMs, signal);
  try {
    return await follow(url, { ...run, signal: within });
  } catch (error) {
    signal.throwIfAborted();
    if (!within.aborted) throw error;
    throw new ToolError(
      'timeout',
      `${url.href} took longer than ${limits.totalMs / 1000} s and was given up. Try again later or fetch another page.`,
    );
  }
}

async function follow(start: URL, run: FetchRun): Promise<Fetched> {
  const passed: string[] = [];
  let url = start;
  for (;;) {
    const { page, location } = await visit(url, run);
    if (location === null) return { ...page, redirects: passed };
    const next = redirectTarget(url, location, run.options);
    if (!isSameHost(url, next)) {
      return { kind: 'elsewhere', from: url.href, to: next.href, status: page.status };
    }
    passed.push(url.href);
    if (passed.length > run.limits.redirects) throw tooManyRedirects(passed, next, run.limits.redirects);
    url = next;
  }
}

function redirectTarget(from: URL, location: string, options: GuardOptions): URL {
  try {
    const next = parseFetchUrl(new URL(location, from).href);
    checkLiteral(next, options);
    return next;
  } catch (error) {
    const reason = isToolError(error) ? error.message : `"${location.slice(0, 200)}" is not a URL.`;
    throw new ToolError('denied', `${from.href} redirects to an address that is not fetched: ${reason}`);
  }
}

function tooManyRedirects(passed: readonly string[], next: URL, limit: number): ToolError {
  const loop = passed.includes(next.href) ? ' It goes in a circle.' : '';
  return new ToolError(
    'failed',
    `${passed[0]} redirects more than ${limit} times, last to ${next.href}.${loop} The page can't be reached this way.`,
  );
}

/** Sends a request on its own connection; the address is checked each time. */
async function visit(url: URL, run: FetchRun): Promise<{ page: FetchedPage; location: string | null }> {
  const { options, limits, signal } = run;
  const sockets: Socket[] = [];
  const http = createHttp({
    dial: async (target) => {
      const socket = await guardedDial(url, options)(target);
      sockets.push(socket);
      return socket;
    },
    ca: options.ca,
  });
  const wire = watchWire(sockets, limits.transferredBytes, url);
  try {
    const request = {
      url,
      headers: HEADERS,
      signal: AbortSignal.any([signal, wire.signal]),
      idleTimeoutMs: limits.idleMs,
    };
    const response = await http.request(request);
    const location = isRedirect(response) ? (response.headers['location'] ?? null) : null;
    const bytes = location === null ? await readWithin(response, limits, url) : new Uint8Array();
    if (location !== null) response.close();
    const { status, headers: received } = response;
    const page: FetchedPage = {
      kind: 'page',
      url: url.href,
      status,
      headers: received,
      bytes,
      redirects: [],
      fromCache: false,
    };
    return { page, location };
  } catch (error) {
    throw signal.aborted ? error : (wire.signal.reason ?? asToolError(error));
  } finally {
    wire.stop();
    http.close();
    for (const socket of sockets) socket.destroy();
  }
}

function isRedirect({ status }: HttpResponse): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** Limits received bytes: compressed data could arrive for ever without giving a byte. */
function watchWire(
  sockets: readonly Socket[],
  limit: number,
  url: URL,
): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const timer = setInterval(() => {
    const received = sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
    // Allows for headers and TLS.
    if (received > limit * 1.05 + 65_536)
      controller.abort(tooLarge(url, `it sends more than ${formatBytes(limit)}`));
  }, WIRE_CHECK_MS);
  timer.unref();
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

async function readWithin(response: HttpResponse, limits: FetchLimits, url: URL): Promise<Uint8Array> {
  const packed = /\S/.test(response.headers['content-encoding']?.replace('identity', '') ?? '');
  const declared = Number(response.headers['content-length'] ?? 0);
  const declaredLimit = packed
    ? limits.transferredBytes
    : Math.min(limits.transferredBytes, limits.decodedBytes);
  if (declared > declaredLimit) {
    response.close();
    throw tooLarge(url, `it is ${formatBytes(declared)}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    if (length > limits.decodedBytes) {
      response.close();
      const what = packed ? 'it unpacks to' : 'it sends';
      throw tooLarge(url, `${what} more than ${formatBytes(limits.decodedBytes)}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(url: URL, reason: string): ToolError {
  return new ToolError(
    'too_large',
    `${url.href} is too large to fetch: ${reason}. Nothing was kept. Look for a smaller page, or download it with run_shell_command and read it by parts.`,
  );
}

function asToolError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  if (isToolError(error.cause)) return error.cause;
  switch (error.kind) {
    case 'silent':
      return new ToolError('timeout', `${error.message} It was given up; try again later.`);
    case 'invalid':
      return new ToolError('invalid_params', error.message);
    default:
      return new ToolError('failed', error.message);
  }
}

/** Caches fetched pages for a while; the least recently used goes first. */
interface PageCache<Page> {
  get(url: string): Page | undefined;
  set(url: string, page: Page, size: number): void;
}

interface PageCacheOptions {
  now(): number;
  maxAgeMs: number;
  maxBytes: number;
}

export function createPageCache<Page>({ now, maxAgeMs, maxBytes }: PageCacheOptions): PageCache<Page> {
  const entries = new Map<string, { page: Page; size: number; at: number }>();
  let total = 0;
  const remove = (url: string) => {
    total -= entries.get(url)?.size ?? 0;
    entries.delete(url);
  };
  return {
    get(url) {
      const entry = entries.get(url);
      if (!entry) return undefined;
      entries.delete(url);
      if (now() - entry.at > maxAgeMs) {
        total -= entry.size;
        return undefined;
      }
      entries.set(url, entry);
      return entry.page;
    },
    set(url, page, size) {
      remove(url);
      if (size > maxBytes) return;
      entries.set(url, { page, size, at: now() });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
