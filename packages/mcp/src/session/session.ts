import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { McpProgress, McpServerInfo, McpStage } from '../contract/connection.js';
import type { OpenTransport } from '../transports/open-transport.js';
import { anyResult } from './any-result.js';

/** One live session with a server, from its handshake to its end. */
export interface Session {
  readonly info: McpServerInfo;
  /** Throws what the library throws; `describeError` says what it means. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  rootsChanged(): void;
  /** Why it is over; null while it lives. */
  ending(): string | null;
  /** It can't be used any more, although its transport has not noticed. */
  giveUp(why: string): void;
  stderrTail(): string;
  /** Whether a person is signing in right now. */
  isSigningIn(): boolean;
  close(): Promise<void>;
}

export interface RequestOptions {
  signal: AbortSignal;
  stage: McpStage;
  onProgress?(progress: McpProgress): void;
}

/** Time is kept by the caller, whose signal ends a request; the library's own clock must not interfere. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export function createSession(client: Client, open: OpenTransport, info: McpServerInfo): Session {
  let ending: string | null = null;
  let closing: Promise<void> | null = null;
  client.onclose = () => {
    ending ??= open.ending() ?? 'the connection was closed';
  };
  return {
    info,
    request: (method, params, { signal, onProgress }) =>
      client.request({ method, params }, anyResult, {
        signal,
        timeout: NO_LIMIT_MS,
        ...(onProgress ? { onprogress: onProgress } : {}),
      }),
    rootsChanged() {
      void client.sendRootsListChanged().catch(() => undefined);
    },
    ending: () => ending,
    giveUp(why) {
      ending ??= why;
    },
    stderrTail: () => open.stderrTail(),
    isSigningIn: () => open.isSigningIn(),
    close() {
      ending ??= 'it was closed';
      closing ??= open.end().then(() => client.close().catch(() => undefined));
      return closing;
    },
  };
}
