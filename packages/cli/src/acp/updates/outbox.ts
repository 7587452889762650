import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** Updates on their way to the editor, in order. An editor that reads slowly gets fewer and longer ones. */
export interface Outbox {
  send(update: SessionUpdate): void;
  /** Resolves when everything so far was written, or can't be any more. */
  flush(): Promise<void>;
}

export function createOutbox(write: (update: SessionUpdate) => Promise<void>): Outbox {
  const waiting: SessionUpdate[] = [];
  let pumping: Promise<void> | null = null;

  async function pump(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await write(next);
      } catch {
        // The editor is gone: whoever works is told by the connection.
        waiting.length = 0;
      }
    }
    pumping = null;
  }

  return {
    send(update) {
      const last = waiting.at(-1);
      const merged = last && mergeUpdates(last, update);
      if (merged) waiting[waiting.length - 1] = merged;
      else waiting.push(update);
      pumping ??= Promise.resolve().then(pump);
    },
    async flush() {
      while (pumping) await pumping;
    },
  };
}

/** Merges two updates into one that tells as much; null when there is none. */
export function mergeUpdates(first: SessionUpdate, second: SessionUpdate): SessionUpdate | null {
  if (isText(first) && isText(second)) {
    if (first.sessionUpdate !== second.sessionUpdate || first.messageId !== second.messageId) return null;
    const text = first.content.text + second.content.text;
    return { ...first, content: { type: 'text', text } } as SessionUpdate;
  }
  if (first.sessionUpdate === 'usage_update' && second.sessionUpdate === 'usage_update') return second;
  if (first.sessionUpdate !== 'tool_call_update' || second.sessionUpdate !== 'tool_call_update') return null;
  return first.toolCallId === second.toolCallId ? { ...first, ...second } : null;
}

type TextUpdate = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }> & {
  content: { type: 'text'; text: string };
};

function isText(update: SessionUpdate): update is TextUpdate {
  return (
    (update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk') &&
    update.content.type === 'text'
  );
}
