import { batch, computed, signal } from '@preact/signals';
import { type LiveEvent, type LiveTail, tailAfter } from '@toolwright/core/front-end';
import type { FleetBoard } from '../../wire/fleet.js';
import type { LiveRow, StartView, StreamEvent, TimelineItem, Wanted } from '../../wire/wire.js';
import { ask, subscribe, Unreachable } from './client.js';

/** The view of the page: the fragment of the address, in parts. */
export const route = signal<string[]>(['live']);
export const start = signal<StartView | null>(null);
export const live = signal<LiveRow[]>([]);
/** Why the program can't be reached; null while it can. */
export const lost = signal<{ why: 'gone' | 'token'; message: string } | null>(null);

/** The session that is looked at. */
export const session = signal<{ id: string; workspace: string } | null>(null);
export const items = signal<readonly TimelineItem[]>([]);
export const tail = signal<LiveTail | null>(null);
export const problem = signal('');

/** The board of the fleet: null without a fleet, undefined until it is known. */
export const board = signal<FleetBoard | null | undefined>(undefined);
/** The news of the task on show since the page read it. */
export const taskNews = signal<{ count: number; lines: readonly string[] }>({ count: 0, lines: [] });

export const readOnly = computed(() => start.value?.readOnly ?? false);
export const asking = computed(() => live.value.filter(({ asks }) => asks).length);

export function readRoute(): void {
  const parts = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
  route.value = parts.length > 0 ? parts : ['live'];
  sessionStorage.setItem('toolwright-route', location.hash || '#/live');
}

export function linkTo(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

export function tellLost(error: unknown): void {
  if (error instanceof Unreachable) lost.value = { why: error.why, message: error.message };
}

export function tellGone(): void {
  lost.value ??= { why: 'gone', message: 'The program is not responding. It may have stopped.' };
}

export async function begin(): Promise<void> {
  try {
    const view = await ask('list/start', {});
    batch(() => {
      start.value = view;
      live.value = view.live;
      lost.value = null;
    });
  } catch (error) {
    tellLost(error);
  }
}

let stop: () => void = () => undefined;
let followed: string | null = null;

/** Looks at one session, at one task, or at neither. The stream that runs is ended first. */
export function follow(wanted: Wanted): void {
  const key = JSON.stringify(wanted);
  if (followed === key) return;
  followed = key;
  stop();
  batch(() => {
    session.value = null;
    items.value = [];
    tail.value = null;
    problem.value = '';
    taskNews.value = { count: 0, lines: [] };
  });
  stop = subscribe(wanted, {
    onEvent: (event) => {
      if (lost.value) lost.value = null;
      if (!start.value) void begin();
      receive(event);
    },
    onProblem: tellLost,
  });
}

const MOST_LINES = 100;

/** Deltas come faster than a screen can show them: they are drawn together, once a frame. */
let waiting: LiveEvent[] = [];

function receive(event: StreamEvent): void {
  if (event.type === 'event') {
    if (waiting.push(event.event) === 1) setTimeout(flush, document.hidden ? 200 : 16);
    return;
  }
  flush();
  batch(() => {
    switch (event.type) {
      case 'live':
        live.value = event.live;
        break;
      case 'session': {
        const { id, workspace, items: all, tail: now } = event.view;
        session.value = { id, workspace };
        items.value = all;
        tail.value = now && withoutAnswered(now, all);
        problem.value = '';
        break;
      }
      case 'items':
        items.value = [...items.value.slice(0, event.from), ...event.items];
        tail.value = tail.value && withoutAnswered(tail.value, event.items);
        break;
      case 'tail':
        tail.value = event.tail && withoutAnswered(event.tail, items.value);
        break;
      case 'problem':
        problem.value = event.message;
        break;
      case 'fleet':
        board.value = event.board;
        break;
      case 'task':
        taskNews.value = { ...taskNews.value, count: taskNews.value.count + 1 };
        break;
      case 'task-log':
        taskNews.value = {
          count: taskNews.value.count + 1,
          lines: [...taskNews.value.lines, event.line].slice(-MOST_LINES),
        };
        break;
    }
  });
}

/** The journal may have an answer before its program says that it is done: it is shown once. */
function withoutAnswered(now: LiveTail, fresh: readonly TimelineItem[]): LiveTail {
  const last = fresh.findLast((item) => item.kind === 'answer');
  const [there, text] = [last?.kind === 'answer' ? last.text.trim() : '', now.text.trim()];
  // The end of the stream may come after the entry of the journal.
  const isThere = text !== '' && (there === text || (fresh.at(-1) === last && there.startsWith(text)));
  return isThere ? { ...now, text: '', thinking: '' } : now;
}

function flush(): void {
  const events = waiting;
  waiting = [];
  if (events.length > 0 && tail.value)
    tail.value = withoutAnswered(events.reduce(tailAfter, tail.value), items.value);
}
