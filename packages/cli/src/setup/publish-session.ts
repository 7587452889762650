import type { Agent, AgentEvent, ToolboxOptions } from '@toolwright/core';
import type { LiveDoor } from '@toolwright/core/front-end';

type Confirm = NonNullable<ToolboxOptions['confirm']>;

/** Lets other programs of the user see a session while it runs, and answer its questions. */
export interface PublishedSession {
  onEvent(event: AgentEvent): void;
  /** Asks here and there at once: the first answer counts. */
  confirm(here: Confirm): Confirm;
  opened(agent: Agent): void;
  close(): void;
}

/** A run that is over before this is not worth a door, and a start must not wait for one. */
const OPEN_AFTER_MS = 250;

export function publishSession(front: string, onEvent: (event: AgentEvent) => void): PublishedSession {
  let agent: Agent | null = null;
  let door: Promise<LiveDoor | null> | null = null;
  let opened: LiveDoor | null = null;
  let isClosed = false;
  /** Events before the door is open; null from then on. */
  let early: AgentEvent[] | null = [];
  let timer: NodeJS.Timeout | undefined;

  const open = (): Promise<LiveDoor | null> => {
    door ??= (async () => {
      const { openDoorOf } = await import('./open-door.js');
      const made = agent && !isClosed ? await openDoorOf(agent, front) : null;
      for (const event of early ?? []) made?.event(event);
      early = null;
      if (isClosed) made?.close();
      opened = made;
      return made;
    })().catch(() => null);
    return door;
  };

  return {
    onEvent(event) {
      onEvent(event);
      opened?.event(event);
      early?.push(event);
      if (event.type === 'session-start') timer ??= setTimeout(() => void open(), OPEN_AFTER_MS).unref();
    },
    confirm: (here) => askedInBothPlaces(here, open, onEvent),
    opened: (made) => void (agent = made),
    close() {
      isClosed = true;
      clearTimeout(timer);
      opened?.close();
    },
  };
}

function askedInBothPlaces(
  here: Confirm,
  open: () => Promise<LiveDoor | null>,
  onEvent: (event: AgentEvent) => void,
): Confirm {
  return async (request, signal) => {
    const answered = new AbortController();
    const either = AbortSignal.any([signal, answered.signal]);
    const there = open().then(
      (door) => door?.question(request, either) ?? new Promise<never>(() => undefined),
    );
    const asked = here(request, either);
    try {
      const first = await Promise.race([asked, there]);
      if (!('outcome' in first)) return first;
      answered.abort();
      await asked.catch(() => undefined);
      onEvent({ type: 'notice', message: `Answered on the web page: ${first.label}` });
      return first.outcome;
    } finally {
      answered.abort();
    }
  };
}
