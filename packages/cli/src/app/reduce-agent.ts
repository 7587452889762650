import type { AgentEvent, AgentResult, CallEvent } from '@toolwright/core';
import { describeErrors, summarizeErrors } from '@toolwright/core/front-end';
import { failureText, limitSentence, mayGoOn } from '../base/display-text.js';
import { safeDisplay } from './safe-display.js';
import {
  appended,
  keptTail,
  noText,
  type SafeDiff,
  type SafeText,
  safe,
  safeDiff,
  safeLine,
} from './safe-text.js';
import {
  type CallEnd,
  type RunningCall,
  type State,
  withBlock,
  withCancelled,
  withoutAnswer,
  withoutLooks,
  withoutStop,
} from './state.js';
import { withUsage } from './working/reduce-working.js';

/** Lines of a result that are shown; the model has all of them. */
const RESULT_LINES = { first: 3, last: 5 };
/** A command says at its end how it went, an error at its beginning. */
const COMMAND_LINES = { first: 0, last: 8 };
const WHOLE = { first: Number.POSITIVE_INFINITY, last: 0 };
const ERROR_LINES = { first: 10, last: 4 };
/** A sentence, then the end of what was printed until then. */
const CANCELLED_LINES = { first: 1, last: 8 };

export function withAgentEvent(before: State, event: AgentEvent): State {
  const state = before.passing === '' ? before : { ...before, passing: '' };
  switch (event.type) {
    case 'text-delta':
      return state.answersPlainly
        ? withBlock(state, { kind: 'text', text: safe(event.text.trimEnd()), tone: 'plain' })
        : withText(state, event.text);
    case 'thinking-delta':
      return { ...state, isThinking: true };
    case 'notice':
      if (event.passing) return { ...state, passing: safeLine(event.message) };
      return withBlock(state, { kind: 'text', text: safe(event.message), tone: 'warning' });
    case 'answer-restart':
      return withBlock(withoutAnswer(state), { kind: 'text', text: safe(event.message), tone: 'warning' });
    case 'session-start':
      return { ...state, answersPlainly: event.provider === 'offline' };
    case 'usage-report':
      return { ...state, working: withUsage(state.working, event) };
    case 'result':
      return withResult(withoutAnswer(state), event.result);
    default:
      return withCallEvent(state, event);
  }
}

function withText(before: State, text: string): State {
  const state = withoutLooks(before);
  const answer = state.answer ?? { ...noText, id: state.nextId };
  const nextId = state.answer ? state.nextId : state.nextId + 1;
  return { ...state, nextId, isThinking: false, answer: { ...answer, ...appended(answer, text) } };
}

function withResult(state: State, { reason, error }: AgentResult): State {
  const counted = { ...state, prompts: state.prompts + 1 };
  const said = endSentence(reason, error);
  return said === null ? counted : withBlock(counted, { kind: 'text', ...said });
}

function endSentence(
  reason: AgentResult['reason'],
  error: AgentResult['error'],
): { text: SafeText; tone: 'warning' | 'bad' } | null {
  switch (reason) {
    case 'done':
      return null;
    case 'cancelled':
      return { text: safe('Cancelled.'), tone: 'warning' };
    case 'failed':
      return {
        text: safe(
          `${error?.message ?? 'The model could not answer.'}${mayGoOn({ reason, error }) ? ' Write "go on" to continue.' : ''}`,
        ),
        tone: 'bad',
      };
    default: {
      const stopped = limitSentence(reason) ?? 'Stopped: a question is waiting for your answer.';
      return { text: safe(`${stopped} Write "go on" to continue.`), tone: 'warning' };
    }
  }
}

function withCallEvent(state: State, event: CallEvent): State {
  switch (event.type) {
    case 'call-start': {
      const onlyLooks = isLook(event);
      const before = withoutAnswer(withoutStop(state));
      const quiet = onlyLooks ? before : withoutLooks(before);
      const call: RunningCall = {
        id: quiet.nextId,
        callId: event.callId,
        description: safeLine(event.description),
        output: '',
        since: state.seconds,
        onlyLooks,
      };
      return {
        ...quiet,
        isThinking: false,
        nextId: quiet.nextId + 1,
        calls: [...quiet.calls, call],
      };
    }
    case 'call-ask':
      return withCall(state, event.callId, (call) => ({
        ...call,
        description: safeLine(askedTitle(event.request)),
        ...askedDiff(event.request.details),
      }));
    case 'call-update':
      return withCall(state, event.callId, (call) => ({
        ...call,
        output: keptTail(call.output, event.delta),
      }));
    case 'call-end':
      return withCallEnd(state, event);
  }
}

function withCall(state: State, callId: string, change: (call: RunningCall) => RunningCall): State {
  return { ...state, calls: state.calls.map((call) => (call.callId === callId ? change(call) : call)) };
}

function withCallEnd(state: State, event: CallEnding): State {
  const call = state.calls.find(({ callId }) => callId === event.callId);
  const without: State = {
    ...(endsStop(state, event) ? withoutStop(state) : state),
    escaped: state.stopsCalls?.callId === event.callId,
    calls: state.calls.filter(({ callId }) => callId !== event.callId),
  };
  const ending = endOf(event, { asked: call?.asked, isOwn: isOwnCommand(state) });
  const end = { ...ending, errors: errorsOf(event) };
  const finished = { description: call?.description ?? safeLine(event.tool), end };
  if (call?.onlyLooks && isOneLine(end) && state.withModel)
    return { ...without, looks: [...without.looks, finished] };
  if (call && event.error?.code === 'cancelled')
    return withCancelled({ ...without, cancelled: [...without.cancelled, { id: call.id, ...finished }] });
  return withCancelled(withBlock(without, { kind: 'call', ...finished }));
}

/** The call that Esc was about ended; where it was about all of them, the last one did. */
function endsStop({ stopsCalls, calls }: State, { callId }: CallEnding): boolean {
  return stopsCalls?.callId === undefined ? calls.length <= 1 : stopsCalls.callId === callId;
}

/** Several calls that only look at something are one line, if what each of them found is a short line itself. */
function isLook({ effects = [] }: Extract<CallEvent, { type: 'call-start' }>): boolean {
  return effects.length > 0 && effects.every(({ kind }) => kind === 'read');
}

const LONGEST_FOUND = 200;

function isOneLine({ failed, display, lines, more, errors }: CallEnd): boolean {
  const [found = '', ...others] = lines;
  return !failed && !display && !errors && more + others.length === 0 && found.length <= LONGEST_FOUND;
}

function errorsOf({ newErrors = [] }: CallEnding): CallEnd['errors'] {
  if (newErrors.length === 0) return undefined;
  const all = newErrors.flatMap((each) => describeErrors(each).split('\n').map(safe));
  return { brief: safeLine(summarizeErrors(newErrors)), all };
}

type CallAsk = Extract<CallEvent, { type: 'call-ask' }>['request'];

/** A change of one file is named as its question is, also where it is refused or fails then. */
function askedTitle({ details, description }: CallAsk): string {
  const [file, ...others] = details.kind === 'edit' ? details.diff.files : [];
  if (!file || others.length > 0 || details.title === '') return description;
  return `${details.title} +${file.added} -${file.removed}`;
}

function askedDiff(details: CallAsk['details']): Pick<RunningCall, 'asked'> {
  const diff = 'diff' in details ? details.diff : undefined;
  return diff && diff.files.length > 0 ? { asked: safeDiff(diff) } : {};
}

function endOf(
  event: CallEnding,
  { asked, isOwn }: { asked: SafeDiff | undefined; isOwn: boolean },
): CallEnd {
  const { error, exitStatus } = event;
  const display = error ? failureText(error, event.display) : event.display;
  const status = statusOf(exitStatus);
  const failed = error !== undefined || status !== undefined;
  // An edit shows its own diff; of a command the changes were agreed to beside its output.
  const diff = error || typeof display !== 'string' ? undefined : asked;
  const refused = error?.code === 'denied' || error?.code === 'cancelled';
  const common = { failed, refused, diff, status };
  if (typeof display !== 'string')
    return { lines: [], more: 0, last: [], display: safeDisplay(display), ...common };
  const ending = status ? display.replace(`\n[${howEnded(exitStatus)}]`, '') : display;
  // The diff below names them.
  const shown = diff ? ending.replace(/(\n\[kept(?: apart)?: [^:\n]+): [^\n]*\]$/, '$1]') : ending;
  const lines = safe(shown.trim()).split('\n').map(safe);
  const room = roomFor(event, isOwn);
  // The display itself may have been cut before it came here.
  const cut = Math.max(0, (event.displayLines ?? 0) - display.split('\n').length);
  const more = lines.length - room.first - room.last;
  if (more <= 0) return { lines, more: 0, last: [], ...common };
  const [first, last] = [lines.slice(0, room.first), lines.slice(-room.last)];
  return { lines: first, more: more + cut, last, all: lines, ...common };
}

function roomFor({ error, exitStatus }: CallEnding, isOwn: boolean): typeof RESULT_LINES {
  if (error) return error.code === 'cancelled' ? CANCELLED_LINES : ERROR_LINES;
  if (isOwn) return WHOLE;
  return exitStatus === undefined ? RESULT_LINES : COMMAND_LINES;
}

/** `!command`: whoever typed it wants to see all that it prints. */
function isOwnCommand({ phase, withModel }: State): boolean {
  return !withModel && (phase === 'working' || phase === 'cancelling');
}

type CallEnding = Extract<CallEvent, { type: 'call-end' }>;

/** Words the end of a command like its report. */
function howEnded(exitStatus: CallEnding['exitStatus']): string {
  return typeof exitStatus === 'number' ? `exit code ${exitStatus}` : `ended by ${exitStatus}`;
}

/** Undefined for a command that went well, and for what is no command. */
function statusOf(exitStatus: CallEnding['exitStatus']): SafeText | undefined {
  return exitStatus === undefined || exitStatus === 0 ? undefined : safe(howEnded(exitStatus));
}
