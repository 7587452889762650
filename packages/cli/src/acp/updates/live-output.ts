import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { createLiveText } from '@toolwright/core/front-end';
import { fenced } from './markdown.js';
import { textContent } from './tool-call.js';

/** The output of calls while they run: its end, a few times a second. */
export interface LiveOutput {
  add(callId: string, delta: string): void;
  end(callId: string): void;
  endAll(): void;
}

const SHOWN_CHARACTERS = 8_000;
const PAUSE_MS = 100;

interface Running {
  live: ReturnType<typeof createLiveText>;
  tail: string;
  timer: NodeJS.Timeout | null;
}

export function createLiveOutput(send: (update: SessionUpdate) => void): LiveOutput {
  const running = new Map<string, Running>();

  function show(toolCallId: string, call: Running): void {
    call.timer = null;
    const content = [textContent(fenced(call.tail, 'block'))];
    send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content });
  }

  function end(callId: string): void {
    const timer = running.get(callId)?.timer;
    if (timer) clearTimeout(timer);
    running.delete(callId);
  }

  return {
    add(callId, delta) {
      const call = running.get(callId) ?? { live: createLiveText(), tail: '', timer: null };
      running.set(callId, call);
      call.tail = (call.tail + call.live.write(delta)).slice(-SHOWN_CHARACTERS);
      call.timer ??= setTimeout(() => show(callId, call), PAUSE_MS);
    },
    end,
    endAll() {
      for (const callId of [...running.keys()]) end(callId);
    },
  };
}
