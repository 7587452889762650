import { entriesFrom, type LiveEvent, type LiveSession } from '@toolwright/core/front-end';
import type { StreamEvent } from '../../wire/wire.js';
import { createTimeline, type FactsOfModel } from './timeline.js';

export interface FollowOptions {
  id: string;
  path: string;
  live(): LiveSession | undefined;
  send(event: StreamEvent): void;
  factsOf: FactsOfModel;
  signal: AbortSignal;
}

export interface FollowedSession {
  /** Hears an event of the program that runs the session. */
  event(event: LiveEvent): void;
  /** The program that runs it came or went. */
  changed(): void;
}

/** Before these events the journal is read: the program has written their entries, which the page must have first. */
const flushing = new Set<LiveEvent['type']>([
  'call-start',
  'call-end',
  'question-open',
  'question-close',
  'result',
]);
const LOOK_EVERY_MS = 400;

/** Sends a session as it is and all that happens in it from then on, in order. */
export function followSession({ id, path, live, send, factsOf, signal }: FollowOptions): FollowedSession {
  const timeline = createTimeline(factsOf);
  let next = 0;
  let isOpen = false;
  let work: Promise<void> = Promise.resolve();

  const then = (step: () => Promise<void> | void): void => {
    work = work
      .then(() => (signal.aborted ? undefined : step()))
      .catch((error: unknown) => {
        if (!signal.aborted) send({ type: 'problem', message: String(error) });
      });
  };

  async function read(): Promise<void> {
    const found = await entriesFrom(path, next, signal);
    next = found.next;
    const first = timeline.add(found.entries);
    if (isOpen && found.entries.length > 0 && first < timeline.items.length)
      send({ type: 'items', from: first, items: timeline.items.slice(first) });
  }

  then(async () => {
    await read();
    const workspace = await workspaceOf(path);
    const tail = live()?.tail ?? null;
    send({ type: 'session', view: { id, workspace, items: [...timeline.items], tail } });
    isOpen = true;
  });
  const timer = setInterval(() => then(read), LOOK_EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    event(event) {
      then(async () => {
        if (flushing.has(event.type)) await read();
        // The event goes out after the read: open state already includes the events before it.
        send({ type: 'event', event });
      });
    },
    changed() {
      then(async () => {
        await read();
        send({ type: 'tail', tail: live()?.tail ?? null });
      });
    },
  };
}

async function workspaceOf(path: string): Promise<string> {
  const { entries } = await entriesFrom(path, 0);
  const start = entries.find((entry) => entry.type === 'session-start');
  return start?.workspace ?? '';
}
