import { type Signal, useSignal } from '@preact/signals';
import type { Verdict } from '@toolwright/core';
import { messageOf, plural } from '@toolwright/core/front-end';
import { useEffect } from 'preact/hooks';
import type { DraftRule, ExplainedView, ReplayView } from '../../wire/wire.js';
import { Table } from '../parts/display.js';
import { Loaded } from '../parts/loaded.js';
import { safeText } from '../parts/safe-text.js';
import { ask } from '../state/client.js';
import { linkTo } from '../state/store.js';

export function RulesView() {
  const drafts = useSignal<DraftRule[]>([]);
  return (
    <>
      <h1>Rules</h1>
      <Loaded
        method="list/rules"
        given={{}}
        draw={({ mode, rules }) => (
          <section aria-labelledby="in-force">
            <h2 id="in-force">In force</h2>
            <p>
              Approval mode: <strong>{mode}</strong>. It applies where no rule does.
            </p>
            {rules.length === 0 ? (
              <p class="empty">No rules are written in the settings, given by flags or remembered.</p>
            ) : (
              <Table
                columns={['Verdict', 'Rule', 'Where it is written']}
                rows={rules.map(({ verdict, text, source, isGrant }) => [
                  verdict,
                  text,
                  `${source}${isGrant ? ' (an answer of yours)' : ''}`,
                ])}
              />
            )}
          </section>
        )}
      />
      <Drafts drafts={drafts} />
      <Playground rules={drafts.value} />
      <Replay rules={drafts.value} />
    </>
  );
}

function Drafts({ drafts }: { drafts: Signal<DraftRule[]> }) {
  return (
    <section aria-labelledby="drafts">
      <h2 id="drafts">Try a rule</h2>
      <p class="meta">Drafts take effect only below, on this page. Nothing is written to your settings.</p>
      <NewDraft onAdd={(rule) => (drafts.value = [...drafts.value, rule])} />
      {drafts.value.length > 0 && (
        <ul class="drafts">
          {drafts.value.map((rule, index) => (
            <li>
              <span class={`tag ${rule.verdict}`}>{rule.verdict}</span> <code>{safeText(rule.text)}</code>{' '}
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${safeText(rule.text)}`}
                onClick={() => (drafts.value = drafts.value.filter((_, at) => at !== index))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function NewDraft({ onAdd }: { onAdd(rule: DraftRule): void }) {
  const verdict = useSignal<Verdict>('allow');
  const text = useSignal('');
  const add = (): void => {
    if (text.value.trim() === '') return;
    onAdd({ verdict: verdict.value, text: text.value.trim() });
    text.value = '';
  };
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <select
        aria-label="Verdict"
        value={verdict.value}
        onChange={({ currentTarget }) => (verdict.value = currentTarget.value as Verdict)}
      >
        <option>allow</option>
        <option>ask</option>
        <option>deny</option>
      </select>
      <input
        aria-label="Rule"
        placeholder="Shell(npm test)"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <button type="submit">Add</button>
    </form>
  );
}

const PAUSE_MS = 120;
const nothing: ExplainedView = {
  explained: null,
  verdict: '',
  sentences: [],
  by: '',
  effects: [],
  problem: null,
};

/** Explains a call or a command line with each key. */
function Playground({ rules }: { rules: DraftRule[] }) {
  const text = useSignal('');
  const view = useSignal<ExplainedView | null>(null);
  useEffect(() => {
    if (text.value.trim() === '') {
      view.value = null;
      return undefined;
    }
    const ending = new AbortController();
    const timer = setTimeout(() => {
      ask('explain', { text: text.value, rules }, ending.signal).then(
        (explained) => (view.value = explained),
        (error: unknown) => {
          if (!ending.signal.aborted) view.value = { ...nothing, problem: messageOf(error) };
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text.value, rules]);
  return (
    <section aria-labelledby="playground">
      <h2 id="playground">What would be decided?</h2>
      <p class="meta">
        A command line, or a tool with its arguments, such as <code>{'edit {"file_path": "a.ts"}'}</code>
      </p>
      <input
        class="wide"
        aria-label="A command line, or a tool with its arguments"
        placeholder="npm test && git push"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <div class="explained" role="status">
        {view.value && <Explained view={view.value} />}
      </div>
    </section>
  );
}

function Explained({
  view: { explained, verdict, sentences, by, effects, problem },
}: {
  view: ExplainedView;
}) {
  if (!explained) return <p class="problem">{safeText(problem ?? '')}</p>;
  const { decision, reason, considered, hooks = [] } = explained;
  return (
    <>
      <p>
        <span class={`tag ${decision}`}>{verdict}</span> {safeText(reason)}
      </p>
      {sentences.map((sentence) => (
        <p class="meta">{safeText(sentence)}</p>
      ))}
      {hooks.length > 0 && (
        <p class="meta">
          Hooks that are asked first; they can only restrict: {hooks.map(safeText).join(', ')}
        </p>
      )}
      <p class="meta">Decided by {safeText(by)}</p>
      {effects.length > 0 && (
        <ul class="effects">
          {effects.slice(0, 50).map((effect) => (
            <li>{safeText(effect)}</li>
          ))}
        </ul>
      )}
      {considered.length > 0 && (
        <Table
          columns={['Verdict', 'Rule', 'Fits', 'Where it is written']}
          rows={considered.map(({ verdict, rule, matched, inPart, source }) => [
            verdict,
            rule,
            matched ? 'yes' : inPart ? 'in part' : 'no',
            source,
          ])}
        />
      )}
    </>
  );
}

function Replay({ rules }: { rules: DraftRule[] }) {
  const view = useSignal<ReplayView | null>(null);
  const problem = useSignal('');
  const run = async (): Promise<void> => {
    problem.value = '';
    view.value = null;
    try {
      view.value = await ask('explain/replay', { rules });
      problem.value = view.value.problem ?? '';
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const found = view.value;
  return (
    <section aria-labelledby="replay">
      <h2 id="replay">Against past sessions</h2>
      <button type="button" onClick={run}>
        Replay {rules.length > 0 ? plural(rules.length, 'draft') : 'the rules in force'}
      </button>
      <p role="status">
        {problem.value}
        {found &&
          problem.value === '' &&
          `In ${plural(found.calls, 'call')} of ${plural(found.sessions, 'session')} it would have asked ${plural(found.now.ask, 'time')} instead of ${found.earlier.ask}, and refused ${found.now.deny} instead of ${found.earlier.deny}.`}
      </p>
      {found && found.changed.length > 0 && (
        <ul class="hits">
          {found.changed.map(({ session, callId, tool, brief, earlier, now, reason }) => (
            <li>
              <a href={linkTo('session', session, callId)}>
                <span class={`tag ${earlier}`}>{earlier}</span> → <span class={`tag ${now}`}>{now}</span>{' '}
                {safeText(tool)} {safeText(brief)}
              </a>{' '}
              <span class="meta">{safeText(reason)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
