import { setTimeout as wait } from 'node:timers/promises';
import type { State } from '@toolwright/core';
import {
  type JournalFile,
  type LiveEvent,
  type LiveSession,
  openModelTable,
  watchLive,
} from '@toolwright/core/front-end';
import type { LiveRow, StreamEvent, Wanted } from '../wire/wire.js';
import type { FleetNews } from './fleet/fleet-door.js';
import type { EventStream } from './http/event-stream.js';
import { type FollowedSession, followSession } from './sessions/follow-session.js';
import { NotFound, type SessionIndex } from './sessions/session-index.js';

interface Following extends Wanted {
  stream: EventStream;
  followed: FollowedSession | null;
}

interface LiveStreamsNeeds {
  state: State;
  index: SessionIndex;
  /** The conversations that this program runs itself. */
  conversations: { has(id: string): boolean };
}

/** Events that come many a second, and change nothing in the list of sessions. */
const unlisted: ReadonlySet<LiveEvent['type']> = new Set(['text-delta', 'thinking-delta', 'call-update']);

const FIRST_ENTRY_MS = 20;

/** Tells every open page which sessions run and how the fleet gets on, and each what happens in what it looks at. */
export class LiveStreams {
  private readonly ending = new AbortController();
  private readonly streams = new Set<Following>();
  private readonly titles = new Map<string, string>();
  private readonly live: ReadonlyMap<string, LiveSession>;
  private telling: Promise<void> | null = null;

  constructor(private readonly needs: LiveStreamsNeeds) {
    this.live = watchLive(needs.state, {
      signal: this.ending.signal,
      onList: () => this.listed(),
      onEvent: (session, event) => this.heard(session, event),
    });
  }

  /** The door through which a watch of the fleet reaches the pages. */
  readonly forFleet = {
    isWatched: (): boolean => this.streams.size > 0,
    onBoard: (board: (StreamEvent & { type: 'fleet' })['board']): void => this.send({ type: 'fleet', board }),
    onNews: (news: FleetNews): void => this.tellTask(news),
  };

  find(session: string): LiveSession | undefined {
    return this.live.get(session);
  }

  async rows(): Promise<LiveRow[]> {
    const { index } = this.needs;
    if ([...this.live.keys()].some((id) => !this.titles.get(id)))
      for (const { id, title } of await index.list('', this.ending.signal)) this.titles.set(id, title);
    return [...this.live.values()].map((session) => this.rowOf(session));
  }

  async subscribe(stream: EventStream, wanted: Wanted): Promise<void> {
    const following: Following = { ...wanted, stream, followed: null };
    this.streams.add(following);
    stream.closed.addEventListener('abort', () => this.streams.delete(following), { once: true });
    stream.send({ type: 'live', live: await this.rows() });
    if (wanted.session) following.followed = await this.follow(stream, wanted.session);
  }

  close(): void {
    this.ending.abort();
  }

  private listed(): void {
    for (const { followed } of this.streams) followed?.changed();
    this.tellRows();
  }

  private heard(session: string, event: LiveEvent): void {
    for (const each of this.streams) if (each.session === session) each.followed?.event(event);
    if (!unlisted.has(event.type)) this.tellRows();
  }

  /** Sends the rows, once at a time: changes made while they are read are in them. */
  private tellRows(): void {
    this.telling ??= this.rows()
      .then((live) => this.send({ type: 'live', live }))
      .catch(() => undefined)
      .finally(() => (this.telling = null));
  }

  private tellTask({ type, id, line }: FleetNews): void {
    if (id === undefined) return;
    for (const { stream, task } of this.streams) {
      if (task !== id) continue;
      if (type === 'task-log' && line !== undefined) stream.send({ type, id, line });
      else stream.send({ type: 'task', id });
    }
  }

  private send(event: StreamEvent): void {
    for (const { stream } of this.streams) stream.send(event);
  }

  private async follow(stream: EventStream, id: string): Promise<FollowedSession | null> {
    try {
      return followSession({
        id,
        path: (await this.journalOf(id, stream.closed)).path,
        live: () => this.live.get(id),
        send: stream.send,
        factsOf: await openModelTable(this.needs.state),
        signal: stream.closed,
      });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      stream.send({ type: 'problem', message: error.message });
      return null;
    }
  }

  /** A conversation that has just begun has none on disk yet: the page is faster than its first entry. */
  private async journalOf(id: string, closed: AbortSignal): Promise<JournalFile> {
    for (;;) {
      try {
        return await this.needs.index.find(id);
      } catch (error) {
        if (closed.aborted || !this.needs.conversations.has(id)) throw error;
        await wait(FIRST_ENTRY_MS);
      }
    }
  }

  private rowOf({ about, tail }: LiveSession): LiveRow {
    return {
      ...about,
      title: this.titles.get(about.session) ?? '',
      asks: tail.question !== null,
      working: tail.working,
      isOwn: this.needs.conversations.has(about.session),
    };
  }
}
