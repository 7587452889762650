import { useRef } from 'preact/hooks';
import type { TimelineItem } from '../../wire/wire.js';
import { Output } from '../parts/display.js';
import { Markdown } from '../parts/markdown.js';
import { momentText } from '../parts/moment.js';
import { safeText } from '../parts/safe-text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { CallItem, type CallSource, type OpenedCalls } from './call.js';

interface TimelineProps {
  items: readonly TimelineItem[];
  source: CallSource;
  /** The call that the address names. */
  callId: string | undefined;
  /** The output so far of each running call. */
  outputs?: Record<string, string> | undefined;
}

/** The prompts, answers and calls of a session, in order. */
export function Timeline({ items, source, callId, outputs }: TimelineProps) {
  const opened = useRef<OpenedCalls>(new Map()).current;
  const isTarget = (item: TimelineItem): boolean => item.kind === 'call' && item.callId === callId;
  return (
    <VirtualList
      items={items}
      label="Timeline"
      keyOf={(item, index) => (item.kind === 'call' ? item.callId : `${index}`)}
      estimate={estimate}
      target={callId === undefined ? undefined : items.findIndex(isTarget)}
      draw={(item) => (
        <Item
          item={item}
          source={source}
          isTarget={isTarget(item)}
          opened={opened}
          output={item.kind === 'call' ? outputs?.[item.callId] : undefined}
        />
      )}
    />
  );
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
  source: CallSource;
  isTarget: boolean;
  opened: OpenedCalls;
  output: string | undefined;
}

function Start({ item }: { item: TimelineItem & { kind: 'start' } }) {
  return (
    <p class="note">
      <time dateTime={item.at}>{momentText(item.at)}</time> {item.front}
      {item.model ? ` with ${safeText(item.model)}` : ''}
      {item.apart ? ', apart' : ''}
    </p>
  );
}

function Item({ item, source, isTarget, opened, output }: ItemProps) {
  switch (item.kind) {
    case 'start':
      return <Start item={item} />;
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
    case 'usage':
      return null;
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
      return <CallItem call={item} source={source} isTarget={isTarget} opened={opened} output={output} />;
  }
}
