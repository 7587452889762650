import { useSignal } from '@preact/signals';
import { messageOf, plural } from '@toolwright/core/front-end';
import { useEffect } from 'preact/hooks';
import type { TaskView } from '../../wire/wire.js';
import { Diff, DiffChoice } from '../parts/diff.js';
import { Output } from '../parts/display.js';
import { stateWords, taskFacts } from '../parts/fleet-words.js';
import { Loaded } from '../parts/loaded.js';
import { Markdown } from '../parts/markdown.js';
import { Plots } from '../parts/plots.js';
import { safeText } from '../parts/safe-text.js';
import { ask } from '../state/client.js';
import { board, linkTo, readOnly, taskNews } from '../state/store.js';
import type { CallSource } from './call.js';
import { TaskQuestions } from './task-questions.js';
import { Timeline } from './timeline.js';

const REST_MS = 400;

/** A task of the fleet: its questions, outcome, log and changes. */
export function TaskPage({ parts: [id = '', callId] }: { parts: string[] }) {
  return (
    <Loaded
      title="Task"
      method="read/task"
      given={{ id }}
      again={useNews()}
      draw={(view) => <Shown view={view} callId={callId} />}
    />
  );
}

/** Gives another number a moment after something has happened. */
function useNews(): number {
  const news = useSignal(0);
  const happened = `${taskNews.value.count} ${board.value?.stamp}`;
  useEffect(() => {
    const timer = setTimeout(() => (news.value += 1), REST_MS);
    return () => clearTimeout(timer);
  }, [happened]);
  return news.value;
}

function Shown({ view, callId }: { view: TaskView; callId: string | undefined }) {
  const { record, row, questions, items } = view;
  const { task, outcome, failure, state } = record;
  return (
    <>
      <div class="title">
        <h1>{safeText(record.title)}</h1>
        <Actions view={view} />
      </div>
      <p class="meta">
        <span class={`state s-${state}`}>{stateWords[state]}</span> {taskFacts(row).map(safeText).join(' · ')}
      </p>
      <p class="meta">
        <code>{task.id}</code> · {plural(record.attempts, 'attempt')} · {budgetText(task)}
      </p>
      {failure && state !== 'done' && <p class="error">{safeText(failure.message)}</p>}
      {questions.length > 0 && <TaskQuestions id={task.id} questions={questions} />}
      {outcome && <Outcome outcome={outcome} />}
      {outcome && outcome.files > 0 && <Changes id={task.id} />}
      <h2>Log</h2>
      {items.length === 0 ? (
        <>
          <p class="empty">Its log has nothing. It was told:</p>
          <Output text={task.prompt} label="Prompt" />
        </>
      ) : (
        <>
          <Plots items={items} />
          <Timeline items={items} source={sourceOf(task.id)} callId={callId} />
        </>
      )}
      {state === 'running' && <News />}
    </>
  );
}

function budgetText({ model, budget = {}, check }: TaskView['record']['task']): string {
  const limits = Object.entries(budget).map(([name, most]) => `at most ${most} ${name}`);
  const parts = [
    model === undefined ? null : safeText(model),
    limits.length > 0 ? limits.join(', ') : 'no limits of its own',
    check === undefined ? null : `check: ${safeText(check)}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function sourceOf(task: string): CallSource {
  return {
    read: (callId) => ask('read/task-call', { task, callId }),
    link: (callId) => linkTo('task', task, callId),
    hasChanges: false,
  };
}

function Actions({ view: { record } }: { view: TaskView }) {
  const said = useSignal('');
  const run = async (action: 'cancel' | 'retry'): Promise<void> => {
    try {
      const { taken } = await ask('prompt/task', { id: record.task.id, action });
      said.value = taken ? '' : 'That is no longer possible.';
    } catch (error) {
      said.value = messageOf(error);
    }
  };
  const hasFailed = ['failed', 'poison', 'cancelled'].includes(record.state);
  return (
    <div class="exports" role="group" aria-label="What can be done with it">
      {hasFailed && (
        <button type="button" disabled={readOnly.value} onClick={() => run('retry')}>
          Try it again
        </button>
      )}
      {!hasFailed && record.state !== 'done' && (
        <button type="button" class="no" disabled={readOnly.value} onClick={() => run('cancel')}>
          Cancel the task
        </button>
      )}
      <span role="status">{said.value}</span>
    </div>
  );
}

function Outcome({ outcome }: { outcome: NonNullable<TaskView['record']['outcome']> }) {
  const { response, summary, added, removed, leftOut, check } = outcome;
  return (
    <section aria-label="Result">
      <h2>Result</h2>
      <p>
        {safeText(summary) || 'Nothing was changed'}{' '}
        {added + removed > 0 && (
          <span class="counts">
            <ins>+{added}</ins> <del>−{removed}</del>
          </span>
        )}
      </p>
      {check && (
        <details>
          <summary>
            Check: <span class={`tag ${check.passed ? 'ok' : 'failed'}`}>{safeText(check.ended)}</span>
          </summary>
          <Output text={check.output || '(it printed nothing)'} label="Output of the check" />
        </details>
      )}
      {leftOut.map((sentence) => (
        <p class="error">Left out: {safeText(sentence)}</p>
      ))}
      {response.trim() !== '' && (
        <article class="said-by model" aria-label="Last answer">
          <Markdown text={response} />
        </article>
      )}
    </section>
  );
}

function Changes({ id }: { id: string }) {
  return (
    <section aria-labelledby="task-changes">
      <div class="title">
        <h2 id="task-changes">Changes</h2>
        <DiffChoice />
      </div>
      <p class="meta">
        They wait in the store: <code>toolwright fleet collect {id}</code> takes them as a patch, a branch, or
        into the folder.
      </p>
      <Loaded
        method="read/task-changes"
        given={{ id }}
        draw={(diff) => (diff ? <Diff diff={diff} /> : <p class="empty">There is no patch.</p>)}
      />
    </section>
  );
}

/** The latest lines of its log, before its journal is in the store. */
function News() {
  const { lines } = taskNews.value;
  return (
    <div class="tail">
      {lines.slice(-8).map((line) => (
        <p class="note">{safeText(line)}</p>
      ))}
      <p class="working" role="status">
        Works …
      </p>
    </div>
  );
}
