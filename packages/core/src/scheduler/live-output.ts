import { clipBytes } from '../base/truncate.js';
import type { Clock } from '../host/host.js';

const INTERVAL_MS = 50;
const MAX_BYTES = 256 * 1024;
const MAX_DELTA_BYTES = 16 * 1024;

export interface LiveOutput {
  push(delta: string): void;
  /** Sends what is pending; later pushes are ignored. */
  end(): void;
}

/** Output of a running call on its way to the person: gathered, paced, and capped per call. */
export function createLiveOutput(clock: Clock, emit: (delta: string) => void): LiveOutput {
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
