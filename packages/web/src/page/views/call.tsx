import { useSignal } from '@preact/signals';
import { formatDuration, messageOf } from '@toolwright/core/front-end';
import { useEffect } from 'preact/hooks';
import type { CallView, TimelineCall } from '../../wire/wire.js';
import { DisplayView, Output } from '../parts/display.js';
import { safeText } from '../parts/safe-text.js';
import { linkTo } from '../state/store.js';

const marks = { running: '…', done: '✓', failed: '✗', refused: '⊘' };

/** Reads calls of a timeline whole, and gives the address of each. */
export interface CallSource {
  read(callId: string): Promise<CallView>;
  link(callId: string): string;
  /** Changes of the calls can be looked at on their own. */
  hasChanges: boolean;
}

/** The calls that the reader opened (true) or closed (false), by their ids; the rest are as they come. */
export type OpenedCalls = Map<string, boolean>;

interface CallProps {
  call: TimelineCall;
  source: CallSource;
  isTarget: boolean;
  /** A call that was scrolled out of sight is as it was when it comes back. */
  opened: OpenedCalls;
  /** The output so far, while the call runs. */
  output: string | undefined;
}

function outcomeWords(outcome: string): string {
  if (outcome === 'park') return 'put off until it is answered';
  return outcome === 'cancel' ? 'answered no' : `answered ${outcome}`;
}

/** A call: its arguments, the decision and its time; opened, everything. */
export function CallItem({ call, source, isTarget, opened, output }: CallProps) {
  const isOpen = useSignal(opened.get(call.callId) ?? isTarget);
  const took = call.endedAt ? Date.parse(call.endedAt) - Date.parse(call.at) : null;
  const { decision } = call;
  return (
    <article
      class={`call ${call.state}${isTarget ? ' target' : ''}`}
      aria-label={`${call.tool}, ${call.state}`}
    >
      <button
        type="button"
        class="plain head"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
          opened.set(call.callId, isOpen.value);
        }}
      >
        <span class="mark" aria-hidden="true">
          {marks[call.state]}
        </span>
        <span class="tool">{safeText(call.tool)}</span>
        <span class="brief">{safeText(call.brief)}</span>
        {call.added !== undefined && (
          <span class="counts">
            <ins>+{call.added}</ins> <del>−{call.removed}</del>
          </span>
        )}
        {decision?.outcome && <span class="tag">{outcomeWords(decision.outcome)}</span>}
        <span class="time">
          {took !== null ? formatDuration(took) : decision?.outcome === 'park' ? 'waits' : 'runs'}
        </span>
      </button>
      {call.state === 'running' && output && <Output text={output.slice(-4_000)} label="Output so far" />}
      {(call.state === 'failed' || call.state === 'refused') && !isOpen.value && (
        <p class="error">{safeText(call.error ?? '')}</p>
      )}
      {call.newErrors && <p class="problem">{safeText(call.newErrors)}</p>}
      {isOpen.value && <Opened call={call} source={source} />}
    </article>
  );
}

function Opened({ call, source }: Pick<CallProps, 'call' | 'source'>) {
  const whole = useSignal<CallView | null>(null);
  const problem = useSignal('');
  const { decision } = call;
  useEffect(() => {
    void source.read(call.callId).then(
      (view) => (whole.value = view),
      (error: unknown) => (problem.value = messageOf(error)),
    );
  }, [call.callId, call.state]);
  return (
    <div class="opened">
      {decision && (
        <p class="fact">
          <span class={`tag ${decision.verdict}`}>{decision.verdict}</span> {safeText(decision.reason)}
          {decision.by && <span class="meta"> by {safeText(decision.by)}</span>}
          {decision.waitedMs !== undefined && (
            <span class="meta"> · waited {formatDuration(decision.waitedMs)}</span>
          )}
        </p>
      )}
      {call.error && <p class="error">{safeText(call.error)}</p>}
      {problem.value !== '' && <p class="problem">{safeText(problem.value)}</p>}
      {whole.value && (
        <>
          <Output text={JSON.stringify(whole.value.args, null, 2)} label="Arguments" />
          {whole.value.effects.length > 0 && (
            <p class="meta">Effects: {whole.value.effects.map(safeText).join('; ')}</p>
          )}
          {whole.value.display !== null && <DisplayView display={whole.value.display} />}
          {whole.value.response !== '' && (
            <details>
              <summary>What the model got</summary>
              <Output text={whole.value.response} label="Response" />
            </details>
          )}
        </>
      )}
      <p class="links">
        <a href={source.link(call.callId)}>Link to this call</a>
        {source.hasChanges && call.changeSet && <a href={linkTo('change', call.changeSet)}>Its change</a>}
      </p>
    </div>
  );
}
