import { useSignal } from '@preact/signals';
import type { LiveTail } from '@toolwright/core';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { TimelineItem } from '../../wire/wire.js';
import { Composer } from '../parts/composer.js';
import { Output } from '../parts/display.js';
import { momentText } from '../parts/format.js';
import { Markdown } from '../parts/markdown.js';
import { Plots } from '../parts/plots.js';
import { QuestionView } from '../parts/question.js';
import { safeText } from '../parts/safe-text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { ask } from '../state/client.js';
import { items, live, problem, session, start, tail } from '../state/store.js';
import { CallItem } from './call.js';

export function SessionPage({ id, callId }: { id: string; callId: string | undefined }) {
  const shown = items.value;
  const row = live.value.find((each) => each.session === id);
  const isHere = session.value?.workspace === start.value?.workspace;
  const target =
    callId === undefined
      ? undefined
      : shown.findIndex((item) => item.kind === 'call' && item.callId === callId);
  useFollowing(callId === undefined && row !== undefined);
  if (problem.value)
    return (
      <p class="problem" role="alert">
        {problem.value}
      </p>
    );
  if (!session.value)
    return (
      <p class="waiting" role="status">
        Reading …
      </p>
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
      <VirtualList
        items={shown}
        label="Timeline"
        keyOf={(item, index) => (item.kind === 'call' ? item.callId : `${index}`)}
        estimate={estimate}
        target={target}
        draw={(item) => (
          <Item
            item={item}
            id={id}
            isTarget={item.kind === 'call' && item.callId === callId}
            output={item.kind === 'call' ? tail.value?.outputs[item.callId] : undefined}
          />
        )}
      />
      {tail.value && <Tail tail={tail.value} id={id} />}
      {(row?.isOwn || (!row && isHere)) && <Composer session={id} isWorking={tail.value?.working ?? false} />}
      {row && !row.isOwn && (
        <p class="empty">It runs in another program (process {row.pid}): write your prompts there.</p>
      )}
    </div>
  );
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

function estimate(item: TimelineItem): number {
  switch (item.kind) {
    case 'call':
      return 46;
    case 'prompt':
    case 'answer':
      return 60 + Math.ceil(item.text.length / 90) * 24;
    default:
      return 34;
  }
}

interface ItemProps {
  item: TimelineItem;
  id: string;
  isTarget: boolean;
  output: string | undefined;
}

function Item({ item, id, isTarget, output }: ItemProps) {
  switch (item.kind) {
    case 'start':
      return (
        <p class="note">
          <time dateTime={item.at}>{momentText(item.at)}</time> {item.front}
          {item.model ? ` with ${safeText(item.model)}` : ''}
          {item.apart ? ', apart' : ''}
        </p>
      );
    case 'prompt':
      return (
        <article class="said-by you" aria-label="You">
          <Markdown text={item.text} />
          {item.beside !== '' && (
            <details>
              <summary>Given with it</summary>
              <Output text={item.beside} label="Given with the prompt" />
            </details>
          )}
          {item.attached > 0 && <p class="meta">{item.attached} attached</p>}
        </article>
      );
    case 'answer':
      if (item.text.trim() === '' && item.thinking === '') return null;
      return (
        <article class="said-by model" aria-label="Answer">
          {item.thinking !== '' && (
            <details class="thinking">
              <summary>Thinking</summary>
              <Markdown text={item.thinking} />
            </details>
          )}
          {item.text.trim() !== '' && <Markdown text={item.text} />}
        </article>
      );
    case 'shortened':
      return <p class="note">Earlier messages were summarised for the model here.</p>;
    case 'change':
      return (
        <p class="note">
          <a href={`#/change/${item.id}`}>
            {safeText(item.by)}: {item.summary}
          </a>
        </p>
      );
    case 'call':
      return <CallItem call={item} session={id} isTarget={isTarget} output={output} />;
  }
}

/** What the journal does not have yet. */
function Tail({ tail: now, id }: { tail: LiveTail; id: string }) {
  return (
    <div class="tail">
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
        <QuestionView session={id} asked={now.question} />
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
