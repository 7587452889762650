import { describeAbort } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { McpCallOptions, McpFailure, McpProgress } from '../contract/connection.js';
import { mcpFailure, quoteServer, seconds } from '../contract/failure.js';
import type { ServerContext } from '../contract/needs.js';
import { plainText } from '../contract/plain-text.js';
import type { McpServerConfig } from '../contract/server-config.js';
import type { Answers } from '../server-requests/answers.js';
import type { Session } from '../session/session.js';
import { startCallClock } from './call-clock.js';

export interface ToolCall extends Pick<McpCallOptions, 'signal' | 'onProgress'> {
  session: Session;
  name: string;
  args: JsonObject;
  /** Arguments that are repeated in headers. */
  headers?: Record<string, string>;
}

/** Sends one `tools/call` under its two clocks. At a limit or an abort the server is told that nobody waits any more. */
export async function sendCall(
  { config, needs, limits, answers }: ServerContext & { answers: Answers },
  { session, name, args, headers, signal, onProgress }: ToolCall,
): Promise<JsonObject> {
  const hardMs = config.timeoutMs ?? limits.callHard;
  const idleMs = config.timeoutMs ?? limits.callIdle;
  const ending = new AbortController();
  let late: McpFailure | null = null;
  const clock = startCallClock({
    clock: needs.clock,
    idleMs,
    hardMs,
    isPaused: () => answers.isAsking() || session.isSigningIn(),
    onLimit: (limit) => {
      late = tooLate({ config, name, session, silence: limit === 'idle' ? idleMs : null, hardMs });
      ending.abort('the time limit was reached');
    },
  });
  const stop = () => ending.abort(describeAbort(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await session.request(
      'tools/call',
      { name, arguments: args },
      {
        signal: ending.signal,
        headers,
        onProgress: (progress) => {
          clock.progress();
          onProgress?.(cleaned(progress));
        },
      },
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw late ?? error;
  } finally {
    clock.stop();
    signal.removeEventListener('abort', stop);
  }
}

interface Late {
  config: McpServerConfig;
  name: string;
  session: Session;
  silence: number | null;
  hardMs: number;
}

function tooLate({ config, name, session, silence, hardMs }: Late): McpFailure {
  const shown = quoteServer(name);
  const what =
    silence === null || silence === hardMs
      ? `the tool "${shown}" was not done after ${seconds(hardMs)}`
      : `the tool "${shown}" gave neither an answer nor a sign of progress for ${seconds(silence)}`;
  return mcpFailure({
    server: config.alias,
    stage: 'call',
    code: 'timeout',
    what,
    advice: `The server was told to stop, but may still be working: check before calling again. A longer "timeout" for it can be set in the settings.`,
    stderrTail: session.stderrTail(),
  });
}

function cleaned({ progress, total, message }: McpProgress): McpProgress {
  return {
    progress,
    total,
    message: message === undefined ? undefined : plainText(message).slice(0, 500),
  };
}
