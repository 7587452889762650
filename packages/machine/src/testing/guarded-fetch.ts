import type { Socket } from 'node:net';
import type { ConnectTarget } from '../host/web/guarded-dial.js';
import { createGuardedHttp, type Fetched, type GuardedHttpOptions } from '../host/web/guarded-http.js';

type Answer = string | { address: string };

/** The options of a guarded request in a test. */
export interface GuardedFetchOptions extends Omit<GuardedHttpOptions, 'resolve' | 'connect'> {
  /** Answers for a name, in place of the system's resolver. */
  resolve?: (host: string) => Answer | readonly Answer[] | Promise<Answer | readonly Answer[]>;
  /** Opens connections in place of node:net. The target's host is the address that was checked. */
  connect?: (target: ConnectTarget) => Socket | Promise<Socket>;
  signal?: AbortSignal;
}

/** Fetches through the guard of web_fetch, with other doors to the network. Throws `ToolError` like the real one. */
export async function guardedFetch(url: string, options: GuardedFetchOptions = {}): Promise<Fetched> {
  const { resolve, connect, signal = new AbortController().signal, ...rest } = options;
  const guarded = createGuardedHttp({
    ...rest,
    resolve: resolve && (async (host) => addressesOf(await resolve(host))),
    connect: connect && (async (target) => await connect(target)),
  });
  return await guarded.fetch(url, { signal });
}

function addressesOf(answers: Answer | readonly Answer[]): string[] {
  const list = Array.isArray(answers) ? (answers as readonly Answer[]) : [answers as Answer];
  return list.map((answer) => (typeof answer === 'string' ? answer : answer.address));
}
