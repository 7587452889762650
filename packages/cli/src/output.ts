import { type AgentEvent, type AgentResult, createTerminalSafe, terminalSafe } from '@toolwright/core';

export type OutputFormat = 'text' | 'json' | 'stream-json';

export interface Output {
  event(event: AgentEvent): void;
  /** Something the person should know that is not part of the answer. */
  notice(message: string): void;
  end(run: { sessionId: string; result: AgentResult }): void;
}

/** In every format the answer goes to standard output and everything else to standard error. */
export function createOutput(format: OutputFormat): Output {
  const notice = (message: string): void =>
    void process.stderr.write(`toolwright: ${terminalSafe(message)}\n`);
  switch (format) {
    case 'text':
      return { ...textOutput(), notice };
    case 'json':
      return { event: () => undefined, notice, end: (run) => printLine(summary(run)) };
    case 'stream-json':
      return {
        event: (event) => {
          if (event.type !== 'result') printLine({ v: 1, ...event });
        },
        notice,
        end: (run) => printLine({ type: 'result', ...summary(run) }),
      };
  }
}

function printLine(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The object that `json` prints and that closes `stream-json`. */
function summary({ sessionId, result }: { sessionId: string; result: AgentResult }): object {
  const { response, turns, calls, usage, denials, changes, error, reason } = result;
  return {
    v: 1,
    session_id: sessionId,
    response,
    stats: { reason, turns, calls, usage },
    ...(error ? { error } : {}),
    permission_denials: denials,
    changes,
  };
}

/** The answer as it comes, ended by one newline. On a terminal the calls are named on standard error. */
function textOutput(): Pick<Output, 'event' | 'end'> {
  const isTerminal = process.stdout.isTTY === true;
  const safe = createTerminalSafe();
  let last = '\n';
  const write = (text: string): void => {
    if (text === '') return;
    last = text;
    process.stdout.write(text);
  };
  return {
    event(event) {
      // What a script reads must be what the model said; what a terminal reads must be harmless.
      if (event.type === 'text-delta') write(isTerminal ? safe.write(event.text) : event.text);
      if (event.type === 'call-start' && process.stderr.isTTY)
        process.stderr.write(`· ${terminalSafe(event.description)}\n`);
    },
    end() {
      if (isTerminal) write(safe.end());
      if (!last.endsWith('\n')) process.stdout.write('\n');
    },
  };
}
