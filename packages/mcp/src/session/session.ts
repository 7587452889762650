import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { McpProgress, McpServerInfo } from '../contract/connection.js';
import type { OpenTransport } from '../transports/open-transport.js';

/** A live session with a server, from its handshake to its end. */
export interface Session {
  readonly info: McpServerInfo;
  /** Throws what the library throws; `describeError` puts it into our words. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Sets the resources whose changes are wanted, all of them. Resolves when the server has said that it tells them. */
  watch(uris: readonly string[], signal: AbortSignal): Promise<void>;
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
  /** The server has taken up a subscription; given are the parameters with which it says so. */
  onAcknowledged?(params: JsonObject): void;
  /** Sent along over HTTP. */
  headers?: Record<string, string>;
}

/** The part of a session that depends on its revision. */
export interface Requests {
  request: Session['request'];
  watch: Session['watch'];
  /** Set by the session: called when the connection was closed. */
  onClose(): void;
  close(): Promise<void>;
}

export function createSession(requests: Requests, open: OpenTransport, info: McpServerInfo): Session {
  let ending: string | null = null;
  let closing: Promise<void> | null = null;
  const end = (why: string): void => {
    if (ending !== null) return;
    ending = why;
    session.onEnd();
  };
  requests.onClose = () => end(open.ending() ?? 'the connection was closed');
  const session: Session = {
    info,
    request: requests.request,
    watch: requests.watch,
    ending: () => ending,
    onEnd: () => undefined,
    giveUp: end,
    stderrTail: () => open.stderrTail(),
    isSigningIn: () => open.isSigningIn(),
    close() {
      ending ??= 'it was closed';
      closing ??= open.end().then(() => requests.close());
      return closing;
    },
  };
  return session;
}
