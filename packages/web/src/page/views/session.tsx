import { useSignal } from '@preact/signals';
import type { LiveTail } from '@toolwright/core/front-end';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Composer } from '../parts/composer.js';
import { Output } from '../parts/display.js';
import { Markdown } from '../parts/markdown.js';
import { Plots } from '../parts/plots.js';
import { QuestionView } from '../parts/question.js';
import { safeText } from '../parts/safe-text.js';
import { ask } from '../state/client.js';
import { items, linkTo, live, problem, session, start, tail } from '../state/store.js';
import type { CallSource } from './call.js';
import { Timeline } from './timeline.js';
import { TodoList } from './todo-list.js';

export function SessionPage({ id, callId }: { id: string; callId: string | undefined }) {
  const shown = items.value;
  const row = live.value.find((each) => each.session === id);
  const isHere = session.value?.workspace === start.value?.workspace;
  useFollowing(callId === undefined && row !== undefined);
  if (problem.value || !session.value)
    return (
      <>
        <h1>Session</h1>
        {problem.value ? (
          <p class="problem" role="alert">
            {safeText(problem.value)} <a href={linkTo('sessions')}>All sessions</a>
          </p>
        ) : (
          <p class="waiting" role="status">
            Reading …
          </p>
        )}
      </>
    );
  const first = shown.find((item) => item.kind === 'prompt');
  return (
    <div class="session">
      <div class="title">
        <h1>{first?.kind === 'prompt' ? titleOf(first.text) : `Session ${id}`}</h1>
        <Exports id={id} />
      </div>
      <p class="meta">
        {safeText(session.value.workspace)} · <code>{id}</code>
      </p>
      <Plots items={shown} />
      <Timeline items={shown} source={sourceOf(id)} callId={callId} outputs={tail.value?.outputs} />
      <TodoList items={shown} />
      {tail.value && <Tail tail={tail.value} id={id} />}
      {(row?.isOwn || (!row && isHere)) && <Composer session={id} isWorking={tail.value?.working ?? false} />}
      {row && !row.isOwn && (
        <p class="empty">It runs in another program (process {row.pid}): write your prompts there.</p>
      )}
    </div>
  );
}

function sourceOf(session: string): CallSource {
  return {
    read: (callId) => ask('read/call', { session, callId }),
    link: (callId) => linkTo('session', session, callId),
    hasChanges: true,
  };
}

const LONGEST_TITLE = 120;

function titleOf(prompt: string): string {
  const line = safeText(prompt).replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE)}…` : line;
}

/** While a session runs and the reader is at its end, the end stays in sight; a question is read from its beginning. */
function useFollowing(isRunning: boolean): void {
  const isAtEnd = useRef(true);
  const isOn = isRunning && !tail.value?.question;
  useEffect(() => {
    const look = (): void => {
      isAtEnd.current = innerHeight + scrollY > document.documentElement.scrollHeight - 80;
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    // Called at once, and whenever the page has grown, before it is painted.
    const grown = new ResizeObserver(() => {
      if (isAtEnd.current) scrollTo({ top: document.documentElement.scrollHeight });
    });
    grown.observe(document.body);
    return () => grown.disconnect();
  }, [isOn]);
}

/** Shows the part of a session that the journal does not have yet. */
function Tail({ tail: now, id }: { tail: LiveTail; id: string }) {
  return (
    <div class="tail" tabIndex={-1}>
      {now.thinking !== '' && (
        <details class="thinking">
          <summary>Thinking …</summary>
          <Output text={now.thinking} label="Thinking" />
        </details>
      )}
      {now.text !== '' && (
        <article class="said-by model" aria-label="Answer, so far">
          <Markdown text={now.text} />
        </article>
      )}
      {now.notices.map((notice) => (
        <p class="note">{safeText(notice)}</p>
      ))}
      {now.question ? (
        <QuestionView
          asked={now.question}
          answer={(answer) => ask('answer', { session: id, ...answer })}
          elsewhere="at the terminal"
        />
      ) : (
        <p class={now.working ? 'working' : 'working idle'} role="status">
          {now.working ? 'Works …' : 'Waits for a prompt.'}
        </p>
      )}
    </div>
  );
}

const formats = [
  ['markdown', 'Markdown', 'md', 'text/markdown'],
  ['json', 'JSON', 'json', 'application/json'],
  ['html', 'HTML', 'html', 'text/html'],
] as const;

function Exports({ id }: { id: string }) {
  const said = useSignal('');
  const save = async (format: 'markdown' | 'json' | 'html', ending: string, type: string): Promise<void> => {
    try {
      const { text } = await ask('read/export', { id, format });
      const url = URL.createObjectURL(new Blob([text], { type }));
      const link = document.createElement('a');
      Object.assign(link, { href: url, download: `toolwright-${id}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      said.value = '';
    } catch (error) {
      said.value = String(error);
    }
  };
  return (
    <div class="exports" role="group" aria-label="Export">
      {formats.map(([format, words, ending, type]) => (
        <button type="button" onClick={() => save(format, ending, type)}>
          {words}
        </button>
      ))}
      <span role="status">{said.value}</span>
    </div>
  );
}
