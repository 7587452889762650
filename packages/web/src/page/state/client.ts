import type { StreamEvent, Wanted, WebApi, WebMethod } from '../../wire/wire.js';

/** The program was ended, or this token is not its own any more. */
export class Unreachable extends Error {
  constructor(
    readonly why: 'gone' | 'token',
    message: string,
  ) {
    super(message);
  }
}

const KEY = 'toolwright-token';

/** Takes the token out of the address, where nobody needs to see it. */
export function takeToken(): string | null {
  const [, token, to = ''] = /^#token=([\w-]+)(?:&to=(.*))?$/.exec(location.hash) ?? [];
  if (token !== undefined) {
    const last = sessionStorage.getItem('toolwright-route') ?? '#/live';
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, '', `${location.pathname}${to ? `#${to}` : last}`);
  }
  return sessionStorage.getItem(KEY);
}

function headers(): Record<string, string> {
  return { 'content-type': 'application/json', 'x-toolwright-token': sessionStorage.getItem(KEY) ?? '' };
}

export async function ask<Method extends WebMethod>(
  method: Method,
  given: WebApi[Method]['takes'],
  signal?: AbortSignal,
): Promise<WebApi[Method]['gives']> {
  const body = JSON.stringify(given);
  const response = await reach(`/api/${method}`, {
    method: 'POST',
    headers: headers(),
    body,
    signal: signal ?? null,
  });
  return (await response.json()) as WebApi[Method]['gives'];
}

/** The token for a password, where the program listens for other machines. */
export async function login(password: string): Promise<void> {
  const body = JSON.stringify({ password });
  const response = await fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const given = (await response.json()) as { token?: string; error?: string };
  if (given.token === undefined) throw new Error(given.error ?? 'That did not work.');
  sessionStorage.setItem(KEY, given.token);
}

async function reach(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable('gone', 'The program is not responding. It may have stopped.');
  }
  if (response.ok) return response;
  const { error = response.statusText } = (await response.json().catch(() => ({}))) as { error?: string };
  throw response.status === 401 ? new Unreachable('token', error) : new Error(error);
}

const AGAIN_MS = 1_000;

/** The stream of a session, of a task of the fleet, or of the lists alone; begins again where it breaks. */
export function subscribe(
  wanted: Wanted,
  { onEvent, onProblem }: { onEvent(event: StreamEvent): void; onProblem(error: unknown): void },
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const response = await reach(`/api/subscribe?${new URLSearchParams({ ...wanted })}`, {
          headers: headers(),
          signal,
        });
        await readEvents(response, onEvent);
        if (!signal.aborted) onProblem(new Unreachable('gone', 'The connection to the program was lost.'));
      } catch (error) {
        if (signal.aborted) return;
        onProblem(error);
        if (error instanceof Unreachable && error.why === 'token') return;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  void run();
  return () => ending.abort();
}

async function readEvents(response: Response, onEvent: (event: StreamEvent) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    const blocks = (pending + value).split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks)
      if (block.startsWith('data: ')) onEvent(JSON.parse(block.slice(6)) as StreamEvent);
  }
}
