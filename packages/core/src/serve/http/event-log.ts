import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface LoggedEvent {
  id: number;
  stream: string;
  message: JSONRPCMessage;
  bytes: number;
}

const MOST_EVENTS = 256;
const MOST_BYTES = 4 * 1024 * 1024;

/** The latest messages to one client, so that it can take up a stream again after its connection was lost. */
export function createEventLog(): EventStore {
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
    async storeEvent(stream, message) {
      last += 1;
      const event = { id: last, stream, message, bytes: JSON.stringify(message).length };
      events.push(event);
      bytes += event.bytes;
      while (events.length > MOST_EVENTS || (bytes > MOST_BYTES && events.length > 1))
        bytes -= events.shift()?.bytes ?? 0;
      return String(event.id);
    },
    async getStreamIdForEventId(id) {
      return events.find((event) => String(event.id) === id)?.stream;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const { id: from, stream } = requireEvent(lastEventId);
      const missed = events.filter((event) => event.id > from && event.stream === stream);
      // The first message of a stream is empty: it only gives the client an id to come back with.
      for (const { id, message } of missed)
        if (Object.keys(message).length > 0) await send(String(id), message);
      return stream;
    },
  };
}
