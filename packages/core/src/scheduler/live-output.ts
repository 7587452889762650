import { clipBytes } from '@toolwright/machine/base/truncate.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { emitSafely, type SchedulerOptions } from './options.js';

const INTERVAL_MS = 50;
const MAX_BYTES = 256 * 1024;
const MAX_DELTA_BYTES = 16 * 1024;

interface LiveOutput {
  push(delta: string): void;
  /** Sends what is pending; later pushes are ignored. */
  end(): void;
}

/** Whatever a call reports while `work` runs reaches the person. */
export async function withLiveOutput<Result>(
  callId: string,
  options: SchedulerOptions,
  work: (onUpdate: (delta: string) => void) => Promise<Result>,
): Promise<Result> {
  const live = createLiveOutput(options.clock, (delta) =>
    emitSafely(options, { type: 'call-update', callId, delta }),
  );
  try {
    return await work(live.push);
  } finally {
    live.end();
  }
}

/** Output of a running call on its way to the person: gathered, paced, and capped per call. */
function createLiveOutput(clock: Clock, emit: (delta: string) => void): LiveOutput {
  let pending = '';
  let room = MAX_BYTES;
  let lastSent = Number.NEGATIVE_INFINITY;
  let timer: AbortController | null = null;
  let ended = false;

  const send = (): void => {
    timer?.abort();
    timer = null;
    if (pending === '') return;
    const delta = pending.length > MAX_DELTA_BYTES ? `…\n${pending.slice(-MAX_DELTA_BYTES)}` : pending;
    const kept = clipBytes(delta, room);
    room -= Buffer.byteLength(kept);
    pending = '';
    lastSent = clock.now();
    emit(room > 0 ? kept : `${kept}\n… live output stops here; the result has the rest\n`);
  };

  return {
    push(delta) {
      if (ended || room <= 0 || typeof delta !== 'string' || delta === '') return;
      pending += delta;
      // What the pace would drop anyway need not be kept in memory.
      if (pending.length > 4 * MAX_DELTA_BYTES) pending = pending.slice(-2 * MAX_DELTA_BYTES);
      if (timer) return;
      const wait = lastSent + INTERVAL_MS - clock.now();
      if (wait <= 0) return send();
      timer = new AbortController();
      clock.sleep(wait, timer.signal).then(send, () => undefined);
    },
    end() {
      if (ended) return;
      send();
      ended = true;
    },
  };
}
