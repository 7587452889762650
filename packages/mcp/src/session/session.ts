import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { McpProgress, McpServerInfo } from '../contract/connection.js';
import type { OpenTransport } from '../transports/open-transport.js';
import { anyResult } from './any-result.js';

/** One live session with a server, from its handshake to its end. */
export interface Session {
  readonly info: McpServerInfo;
  /** Throws what the library throws; `describeError` puts it into our words. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** The reason why it is over; null while it lives. */
  ending(): string | null;
  /** Set by its owner: called when the session ends without having been closed. */
  onEnd(): void;
  /** Ends a session that can't be used any more, although its transport has not noticed. */
  giveUp(why: string): void;
  stderrTail(): string;
  isSigningIn(): boolean;
  close(): Promise<void>;
}

export interface RequestOptions {
  signal: AbortSignal;
  onProgress?(progress: McpProgress): void;
}

/** Time is kept by the caller, whose signal ends a request; the library's own clock must not interfere. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

export function createSession(client: Client, open: OpenTransport, info: McpServerInfo): Session {
  let ending: string | null = null;
  let closing: Promise<void> | null = null;
  const end = (why: string): void => {
    if (ending !== null) return;
    ending = why;
    session.onEnd();
  };
  client.onclose = () => end(open.ending() ?? 'the connection was closed');
  const session: Session = {
    info,
    request: (method, params, { signal, onProgress }) =>
      client.request({ method, params }, anyResult, { signal, timeout: NO_LIMIT_MS, onprogress: onProgress }),
    ending: () => ending,
    onEnd: () => undefined,
    giveUp: end,
    stderrTail: () => open.stderrTail(),
    isSigningIn: () => open.isSigningIn(),
    close() {
      ending ??= 'it was closed';
      closing ??= open.end().then(() => client.close().catch(() => undefined));
      return closing;
    },
  };
  return session;
}
