import type { AgentEvent, AgentResult, CallEvent } from '@toolwright/core';
import { createTerminalSafe, type ParkedRun, terminalSafe } from '@toolwright/core/front-end';
import type { WaitingApart } from '../../actions/waiting-apart.js';
import { writeOnceFree } from '../../base/held-terminal.js';
import { printJson, warn } from '../../base/print.js';
import { isTerminal, writeOutput } from '../../base/standard-output.js';

export type OutputFormat = 'text' | 'json' | 'stream-json';

export interface Output {
  event(event: AgentEvent): void;
  /** Shows the user a message that is not part of the answer. */
  notice(message: string): void;
  end(run: EndedRun): void;
}

export interface EndedRun {
  sessionId: string;
  result: AgentResult;
  /** Null where no changes wait apart. */
  apart: WaitingApart | null;
  /** Null where no question waits. */
  parked: ParkedRun | null;
  /** The answer as data, where a schema was given and it fits. */
  value?: unknown;
}

/** Prints the answer to standard output (text only when it is whole, with `isWhole`) and everything else to standard error, in every format. */
export function createOutput(format: OutputFormat, { isWhole = false } = {}): Output {
  switch (format) {
    case 'text':
      return isWhole ? wholeOutput() : { ...textOutput(), notice: warn };
    case 'json':
      return { event: noticeOf, notice: warn, end: (run) => printJson({ v: 1, ...summary(run) }) };
    case 'stream-json':
      return {
        event: printEvent,
        notice: warn,
        end: (run) => printJson({ v: 1, type: 'result', ...summary(run) }),
      };
  }
}

/** Prints nothing but the value that the schema asked for. */
function wholeOutput(): Output {
  return {
    event: noticeOf,
    notice: warn,
    end: ({ value }) => {
      if (value !== undefined) printJson(value);
    },
  };
}

function noticeOf(event: AgentEvent): void {
  if (event.type === 'notice' || event.type === 'answer-restart') warn(event.message);
}

/** An event as it is, but for the id of the session, which has one name in everything that is printed. */
function printEvent(event: AgentEvent): void {
  if (event.type === 'session-start') {
    const { type, sessionId, ...rest } = event;
    printJson({ v: 1, type, session_id: sessionId, ...rest });
  } else if (event.type !== 'result') printJson({ v: 1, ...event });
}

/** The object that `json` prints and that closes `stream-json`. */
function summary({ sessionId, result, apart, parked, value }: EndedRun): object {
  const { response, turns, calls, usage, denials, changes, error, reason } = result;
  return {
    session_id: sessionId,
    response,
    structured: value,
    stats: { reason, turns, calls, usage },
    error,
    permission_denials: denials,
    changes,
    apart: apart ?? undefined,
    questions: parked?.questions.map(({ digest, request }, index) => ({
      id: parked.questions.length === 1 ? parked.session : `${parked.session}.${index + 1}`,
      digest,
      request,
    })),
  };
}

/** Draws calls that the user was asked about on standard error, once they have ended: what was agreed to, or the no. */
function createAskedCalls(): (event: AgentEvent) => void {
  const calls = new Map<string, CallEvent[]>();
  let drawing: Promise<typeof import('../../ui/draw-call.js')> | undefined;
  return (event) => {
    if (event.type === 'call-start') calls.set(event.callId, [event]);
    if (event.type !== 'call-ask' && event.type !== 'call-end') return;
    const events = calls.get(event.callId);
    events?.push(event);
    if (event.type === 'call-ask') drawing ??= import('../../ui/draw-call.js');
    if (event.type !== 'call-end') return;
    calls.delete(event.callId);
    if (!events?.some(({ type }) => type === 'call-ask')) return;
    void drawing?.then(
      ({ drawCall }) =>
        writeOnceFree(() => process.stderr.write(drawCall(events, process.stderr, process.env))),
      // A program that was replaced while it runs can't draw it; the run goes on.
      () => undefined,
    );
  };
}

/** Prints the model's text as it comes; text before and after calls stands on lines of its own. */
function textOutput(): Pick<Output, 'event' | 'end'> {
  const isOnTerminal = isTerminal(1);
  const isUserThere = isTerminal(2);
  const safe = createTerminalSafe();
  const asked = createAskedCalls();
  let last = '\n';
  const write = (text: string): void => {
    if (text === '') return;
    last = text;
    writeOnceFree(() => writeOutput(text));
  };
  const endLine = (): void => {
    if (!last.endsWith('\n')) write('\n');
  };
  // Printed text can't be taken back: its reader must see where the answer begins again.
  const restart = (): void => {
    if (isOnTerminal) write(safe.end());
    endLine();
    write('[The answer broke off and starts again here.]\n');
  };
  return {
    event(event) {
      if (event.type === 'answer-restart' && event.text !== '') restart();
      // On a terminal a notice must not stand behind the words of an answer.
      if (event.type === 'notice' && isOnTerminal) endLine();
      noticeOf(event);
      // A script must read exactly what the model said; a terminal must get no escape sequences.
      if (event.type === 'text-delta') write(isOnTerminal ? safe.write(event.text) : event.text);
      if (isUserThere) asked(event);
      if (event.type !== 'call-start') return;
      endLine();
      const { description } = event;
      if (isUserThere) writeOnceFree(() => process.stderr.write(`· ${terminalSafe(description)}\n`));
    },
    end() {
      if (isOnTerminal) write(safe.end());
      endLine();
    },
  };
}
