import { createParser } from 'eventsource-parser';
import { ModelError } from '../model.js';

export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

const MAX_EVENT_CHARACTERS = 64 * 1024 * 1024;
const MAX_UNREAD_CHARACTERS = 1024 * 1024;

export interface EventReader {
  push(chunk: Uint8Array): ServerEvent[];
  /** The stream ended: what was left, even where the last blank line is missing. */
  end(): ServerEvent[];
  /** The text of a body that holds no event at all, for servers that answer with plain JSON. */
  unread(): string;
}

/** Cuts a byte stream into server-sent events; chunk borders may lie anywhere, also inside a character. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let ready: ServerEvent[] = [];
  let seen = false;
  let plain = '';
  const parser = createParser({
    onEvent: ({ event, data }) => {
      seen = true;
      plain = '';
      ready.push({ event, data });
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        throw new ModelError('protocol', 'The model server sent an event that is larger than 64 MB.');
      }
    },
    maxBufferSize: MAX_EVENT_CHARACTERS,
  });
  const take = (): ServerEvent[] => {
    const events = ready;
    ready = [];
    return events;
  };
  const feed = (text: string): ServerEvent[] => {
    if (!seen && plain.length < MAX_UNREAD_CHARACTERS) plain += text;
    parser.feed(text);
    return take();
  };
  return {
    push: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end: () => {
      const rest = feed(decoder.decode());
      parser.feed('\n\n');
      return [...rest, ...take()];
    },
    unread: () => plain,
  };
}
