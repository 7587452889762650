import type { JsonObject } from '@toolwright/machine/base/json.js';
import { connectInFolder, type JsonSocket } from '@toolwright/machine/host/live/json-socket.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import { removeFile } from '@toolwright/machine/host/state/replace-file.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { type LiveAbout, type LiveAnswer, type LiveEvent, type LiveTail, tailAfter } from './live-words.js';

/** A session that runs now, in whichever program. */
export interface LiveSession {
  about: LiveAbout;
  tail: LiveTail;
  /** False: the question is not open any more, or was answered by somebody else. */
  answer(answer: LiveAnswer): Promise<boolean>;
}

interface WatchLiveOptions {
  /** A session came or went. */
  onList(): void;
  onEvent(session: string, event: LiveEvent): void;
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 300;
const ANSWER_LIMIT_MS = 10_000;

/** Watches all running sessions of this state folder until the signal fires. The map changes as they come and go. */
export function watchLive(state: StateFolder, options: WatchLiveOptions): ReadonlyMap<string, LiveSession> {
  const sessions = new Map<string, LiveSession>();
  const connected = new Set<string>();
  const folder = state.pathOf('live');
  const findSockets = async (): Promise<void> => {
    for (const name of await namesIn(folder).catch(() => [])) {
      if (!name.endsWith('.sock') || connected.has(name)) continue;
      connected.add(name);
      void follow(name);
    }
  };
  const follow = async (name: string): Promise<void> => {
    const socket = await connectInFolder(folder, name);
    if (!socket) {
      // The program was killed; a new one of the same session makes its own.
      await removeFile(`${folder}/${name}`).catch(() => undefined);
      connected.delete(name);
      return;
    }
    join(socket, { name, sessions, connected, options });
  };
  const timer = setInterval(() => void findSockets(), LOOK_EVERY_MS);
  options.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  void findSockets();
  return sessions;
}

interface Joining {
  name: string;
  sessions: Map<string, LiveSession>;
  connected: Set<string>;
  options: WatchLiveOptions;
}

function join(socket: JsonSocket, { name, sessions, connected, options }: Joining): void {
  const waiting = new Map<string, (taken: boolean) => void>();
  let id = '';
  const receive = (message: JsonObject): void => {
    const session = sessions.get(id);
    if (message['type'] === 'hello') {
      const { about, tail } = message as unknown as { about: LiveAbout; tail: LiveTail };
      id = about.session;
      sessions.set(id, { about, tail, answer });
      options.onList();
    } else if (message['type'] === 'event' && session) {
      const event = message['event'] as unknown as LiveEvent;
      session.tail = tailAfter(session.tail, event);
      options.onEvent(id, event);
    } else if (message['type'] === 'answered') {
      waiting.get(String(message['digest']))?.(message['taken'] === true);
    }
  };
  const answer = (given: LiveAnswer): Promise<boolean> =>
    new Promise((resolve) => {
      const done = (taken: boolean): void => {
        clearTimeout(timer);
        waiting.delete(given.digest);
        resolve(taken);
      };
      const timer = setTimeout(() => done(false), ANSWER_LIMIT_MS);
      waiting.set(given.digest, done);
      socket.send({ type: 'answer', ...given });
    });
  socket.onMessage(receive);
  socket.onClose(() => {
    connected.delete(name);
    for (const done of waiting.values()) done(false);
    if (sessions.delete(id)) options.onList();
  });
  options.signal.addEventListener('abort', () => socket.close(), { once: true });
}
