import type { State } from '../../../app/state.js';
import {
  type Appearance,
  clipped,
  line,
  type Span,
  type StyledLine,
  textOfLine,
  widthOf,
  wrap,
} from '../line.js';

/** The shares of the context, in percent, at which that is announced and at which its earlier part is summarised. */
const NEARLY_FULL = 65;
export const SUMMARISED_AT = 80;

/** A line with the work going on and the facts of the session, as many as fit. Null when there is nothing to tell. */
export function renderStatus(state: State, width: number, appearance: Appearance): StyledLine | null {
  const activity = activityText(state);
  const gap: Span = { text: appearance.unicode ? ' · ' : ' | ', style: { dim: true } };
  const said: Span[] = activity === '' ? [] : [{ text: activity, style: { color: 'cyan' } }];
  const facts = factsOf(state);
  for (;;) {
    const spans = [...said, ...facts].flatMap((span, index) => (index === 0 ? [span] : [gap, span]));
    if (facts.length === 0 || widthOf(textOfLine(spans)) <= width)
      return spans.length === 0 ? null : clipped(spans, width, appearance);
    facts.splice(leastOf(facts), 1);
  }
}

/** The place of the fact that a narrow screen can do without first. */
function leastOf(facts: readonly Fact[]): number {
  return facts.reduce((least, { weight }, index) => (weight < facts[least]!.weight ? index : least), 0);
}

/** The context that is used, in percent. */
export function contextShare({ working: { status } }: State): number {
  const { contextTokens, contextWindow } = status;
  return contextWindow > 0 ? Math.round((100 * contextTokens) / contextWindow) : 0;
}

/** A fact of the session; on a narrow screen those with the most weight stay. */
interface Fact extends Span {
  weight: number;
}

/** The model, mode and other facts of the session. */
export function factsOf(state: State): Fact[] {
  const { model, mode, branch, sandbox, jobs, tokens, cost } = state.working.status;
  if (model === '') return [];
  const plain = (text: string, weight: number): Fact[] =>
    text === '' ? [] : [{ text, style: { dim: true }, weight }];
  return [
    ...plain(model, 6),
    mode === 'default'
      ? { text: mode, style: { dim: true }, weight: 4 }
      : { text: mode, style: { color: 'yellow' }, weight: 9 },
    ...(state.isApart ? [{ text: 'apart', style: { color: 'magenta' as const }, weight: 9 }] : []),
    ...contextFact(state),
    ...plain(tokens > 0 ? `${shortCount(tokens)} tokens` : '', 2),
    ...plain(cost > 0 ? `$${cost.toFixed(cost < 1 ? 3 : 2)}` : '', 5),
    ...plain(branch, 3),
    ...plain(sandbox, sandbox === 'confined' ? 1 : 8),
    ...plain(jobs > 0 ? `${jobs} job${jobs === 1 ? '' : 's'}` : '', 7),
  ];
}

function contextFact(state: State): Fact[] {
  if (state.working.status.contextTokens === 0) return [];
  const share = contextShare(state);
  const text = `${share}% ${share < NEARLY_FULL ? 'context' : 'of context'}${summaryAhead(share)}`;
  return share < NEARLY_FULL
    ? [{ text, style: { dim: true }, weight: 5 }]
    : [{ text, style: { color: 'yellow' }, weight: 8 }];
}

function summaryAhead(share: number): string {
  if (share < NEARLY_FULL) return '';
  return share < SUMMARISED_AT ? `, summary at ${SUMMARISED_AT}%` : ', summary next';
}

function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000
    ? `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

/** A sentence about this moment, whole: it tells when a request is tried again. */
export function renderPassing({ phase, passing }: State, width: number): StyledLine[] {
  return phase === 'working' && passing !== '' ? wrap(line(passing, { color: 'yellow' }), width) : [];
}

function activityText({ phase, answer, isThinking, withModel, calls, seconds }: State): string {
  if (phase !== 'working' && phase !== 'cancelling') return '';
  if (phase === 'cancelling') return 'Stopping ...';
  const time = seconds > 0 ? `, ${seconds} s` : '';
  return `${whatGoesOn()}${time} (Esc cancels)`;

  function whatGoesOn(): string {
    if (calls.length > 0 || !withModel) return 'Working';
    if (answer) return 'Answering';
    return isThinking ? 'The model is thinking' : 'Waiting for the model';
  }
}

const MOST_QUEUED = 3;

/** Messages that wait for the model. */
export function renderQueue(
  { working: { queue } }: State,
  width: number,
  appearance: Appearance,
): StyledLine[] {
  if (queue.length === 0) return [];
  const shown = queue.slice(-MOST_QUEUED).map(({ text, steers }) => {
    const when = steers ? 'after this call' : 'queued';
    const words = `  ${when}: ${text.replace(/\s+/g, ' ')}`;
    return clipped(line(words, { dim: true }), width, appearance);
  });
  const isWaiting = queue.some(({ steers }) => !steers);
  const help = isWaiting ? '  Enter sends it after the running call; Up takes it back' : '  Up takes it back';
  return widthOf(help) <= width ? [...shown, line(help, { dim: true })] : shown;
}
