import { meaningOf } from '../../../app/line-meaning.js';
import { safeLine, tailOf } from '../../../app/safe-text.js';
import type { RunningCall, State } from '../../../app/state.js';
import type { QueuedMessage } from '../../../app/working/working.js';
import { durationText } from '../blocks.js';
import { textOfLine } from '../line.js';
import { contextShare, factsOf } from './status.js';

/** Tells the changes of state as sentences, for users who read line after line; while a question is open only what is said about it. */
export function createNews(): (state: State) => string[] {
  let before: State | undefined;
  /** The state whose news were told last. */
  let told: State | undefined;
  const statusAfter = createStatusNews();
  return (state) => {
    const hints = hintNews(state, before);
    before = state;
    if (state.question) return hints;
    const news = [...newsOf(state, told), ...hints, ...statusAfter(state, told)];
    told = state;
    return news;
  };
}

/** The status, at the end of a turn, where more than the tokens has changed. */
function createStatusNews(): (state: State, before: State | undefined) => string[] {
  let said = '';
  return (state, before) => {
    if (state.phase !== 'idle' || before?.phase !== 'working') return [];
    const news = statusNews(state);
    if (!news || news.key === said) return [];
    said = news.key;
    return [news.sentence];
  };
}

function hintNews({ hint }: State, before: State | undefined): string[] {
  return hint !== '' && hint !== before?.hint ? [hint] : [];
}

function newsOf(state: State, before: State | undefined): string[] {
  const known = new Set(before?.calls.map(({ callId }) => callId));
  const started = state.calls.filter(({ callId }) => !known.has(callId));
  const isNewPhase = state.phase !== (before?.phase ?? 'idle');
  return [
    ...(isNewPhase && state.phase === 'working' && takesTime(state)
      ? ['Working. Esc or Ctrl+C cancels.']
      : []),
    ...(isNewPhase && state.phase === 'cancelling' ? ['Stopping.'] : []),
    ...started.map(({ description }) => `Started: ${description}`),
    ...(state.seconds === before?.seconds ? [] : state.calls.flatMap((call) => stillRunning(call, state))),
    // A failure that is tried again and again is said once.
    ...(state.passing !== '' && !before?.passing ? [state.passing] : []),
    ...queueNews(state.working.queue, before?.working.queue ?? []),
  ];
}

/** True for a prompt to the model: a slash command is done before a sentence about it is read. */
function takesTime({ blocks }: State): boolean {
  const prompt = blocks.findLast(({ kind }) => kind === 'prompt');
  return prompt?.kind !== 'prompt' || meaningOf(prompt.text).kind !== 'slash';
}

function stillRunning(call: RunningCall, { seconds }: State): string[] {
  const lasts = seconds - call.since;
  const isTime = lasts === 10 || lasts === 30 || (lasts > 0 && lasts % 60 === 0);
  if (!isTime) return [];
  const [last = ''] = tailOf(call.output, 1);
  return [
    `Still running, ${durationText(lasts)}: ${call.description}${last === '' ? '' : `. Last line: ${last}`}`,
  ];
}

function queueNews(queue: readonly QueuedMessage[], earlier: readonly QueuedMessage[]): string[] {
  const steering = queue.filter(
    ({ text, steers }, at) => steers && earlier[at]?.text === text && !earlier[at].steers,
  );
  return [
    ...queue.slice(earlier.length).map(({ text }) => `Queued: ${safeLine(text)}`),
    ...steering.map(({ text }) => `After the running call: ${safeLine(text)}`),
  ];
}

/** The status of the session as a sentence; `key` is the part whose change is worth telling. */
export function statusNews(state: State): { key: string; sentence: string } | null {
  const facts = factsOf(state).map((fact) => textOfLine([fact]));
  if (facts.length === 0) return null;
  const { model, mode, branch, sandbox, jobs } = state.working.status;
  const tens = Math.floor(contextShare(state) / 10);
  const key = [model, mode, branch, sandbox, jobs, state.isApart, tens].join('\n');
  return { key, sentence: `Status: ${facts.join(', ')}` };
}
