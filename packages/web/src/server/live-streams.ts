import { type LiveSession, openModelTable, watchLive } from '@toolwright/core';
import type { LiveRow } from '../wire/wire.js';
import type { EventStream } from './http/event-stream.js';
import type { WebNeeds } from './needs.js';
import { type FollowedSession, followSession } from './sessions/follow-session.js';
import { NotFound, type SessionIndex } from './sessions/session-index.js';

interface Following {
  stream: EventStream;
  followed: FollowedSession | null;
  session: string;
}

interface LiveStreamsNeeds {
  index: SessionIndex;
  /** The conversations that this program runs itself. */
  conversations: { has(id: string): boolean };
}

/** Tells every open page which sessions run, and what the one says that it looks at. */
export function openLiveStreams(
  { state }: Pick<WebNeeds, 'state'>,
  { index, conversations }: LiveStreamsNeeds,
) {
  const ending = new AbortController();
  const streams = new Set<Following>();
  const titles = new Map<string, string>();
  const live = watchLive(state, {
    signal: ending.signal,
    onList: () => {
      for (const { followed } of streams) followed?.changed();
      void tellLive();
    },
    onEvent: (session, event) => {
      for (const each of streams) if (each.session === session) each.followed?.event(event);
      if (event.type !== 'text-delta' && event.type !== 'thinking-delta' && event.type !== 'call-update')
        void tellLive();
    },
  });

  async function rows(): Promise<LiveRow[]> {
    if ([...live.keys()].some((id) => !titles.get(id)))
      for (const { id, title } of await index.list('', ending.signal)) titles.set(id, title);
    return [...live.values()].map((session) => rowOf(session, titles, conversations));
  }

  let telling: Promise<void> | null = null;
  function tellLive(): Promise<void> {
    telling ??= (async () => {
      const now = await rows();
      telling = null;
      for (const { stream } of streams) stream.send({ type: 'live', live: now });
    })();
    return telling;
  }

  return {
    rows,
    find: (session: string): LiveSession | undefined => live.get(session),
    async subscribe(stream: EventStream, session: string): Promise<void> {
      const following: Following = { stream, session, followed: null };
      streams.add(following);
      stream.closed.addEventListener('abort', () => streams.delete(following), { once: true });
      stream.send({ type: 'live', live: await rows() });
      if (session === '') return;
      const running = (): LiveSession | undefined => live.get(session);
      following.followed = await follow({ stream, id: session, index, state, running });
    },
    close: () => ending.abort(),
  };
}

interface Followed {
  stream: EventStream;
  id: string;
  index: SessionIndex;
  state: WebNeeds['state'];
  running(): LiveSession | undefined;
}

async function follow({ stream, id, index, state, running }: Followed): Promise<FollowedSession | null> {
  const found = await index.find(id).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    stream.send({ type: 'problem', message: error.message });
    return null;
  });
  if (!found) return null;
  return followSession({
    id,
    path: found.path,
    live: running,
    send: stream.send,
    factsOf: await openModelTable(state),
    signal: stream.closed,
  });
}

function rowOf(
  { about, tail }: LiveSession,
  titles: Map<string, string>,
  own: { has(id: string): boolean },
): LiveRow {
  return {
    ...about,
    title: titles.get(about.session) ?? '',
    asks: tail.question !== null,
    working: tail.working,
    isOwn: own.has(about.session),
  };
}
