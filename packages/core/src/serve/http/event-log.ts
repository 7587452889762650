import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface LoggedEvent {
  id: number;
  stream: string;
  message: JSONRPCMessage;
  bytes: number;
}

const MOST_EVENTS = 256;
const MOST_BYTES = 4 * 1024 * 1024;

export interface EventLog extends EventStore {
  /** The event was sent, and is not too old to go on after it. */
  has(id: string): boolean;
}

/**
 * The latest messages to one client, so that it can take up a stream again after its connection was lost. It does not
 * tell the library which stream an event belongs to: the library would refuse the stream to a client that comes back
 * before the loss of its old connection was noticed.
 */
export function createEventLog(onEvent?: (message: JSONRPCMessage) => void): EventLog {
  const events: LoggedEvent[] = [];
  let bytes = 0;
  let last = 0;

  function requireEvent(id: string): LoggedEvent {
    const found = events.find((event) => String(event.id) === id);
    if (found) return found;
    throw new Error(
      `The event ${id.slice(0, 40)} is not known any more: the stream can't be taken up again.`,
    );
  }

  return {
    has: (id) => events.some((event) => String(event.id) === id),
    async storeEvent(stream, message) {
      onEvent?.(message);
      last += 1;
      const event = { id: last, stream, message, bytes: JSON.stringify(message).length };
      events.push(event);
      bytes += event.bytes;
      while (events.length > MOST_EVENTS || (bytes > MOST_BYTES && events.length > 1))
        bytes -= events.shift()?.bytes ?? 0;
      return String(event.id);
    },
    async replayEventsAfter(lastEventId, { send }) {
      let { id: sent, stream } = requireEvent(lastEventId);
      // Looked up one by one: further messages may come meanwhile.
      for (;;) {
        const missed = events.find((event) => event.id > sent && event.stream === stream);
        if (!missed) return stream;
        sent = missed.id;
        // The first message of a stream is empty: it only gives the client an id to come back with.
        if (Object.keys(missed.message).length > 0) await send(String(sent), missed.message);
      }
    },
  };
}
