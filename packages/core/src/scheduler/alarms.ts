import { steadyNow } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';

/** Rings after a while, unless it is taken back. Nearly all are: so one wait of the clock serves all that are set at the same time. */
export interface Alarms {
  /** Returns the function that takes it back. */
  set(ms: number, ring: () => void): () => void;
}

interface Alarm {
  at: number;
  ring(): void;
}

export function createAlarms({ sleep }: Pick<Clock, 'sleep'>): Alarms {
  const waiting = new Set<Alarm>();
  let asleep: { until: number; stop: AbortController } | null = null;
  let isLeaving = false;

  function sleepUntilFirst(): void {
    if (waiting.size === 0) return;
    const until = Math.min(...Array.from(waiting, ({ at }) => at));
    if (asleep && asleep.until <= until) return;
    asleep?.stop.abort('another one rings before');
    const own = { until, stop: new AbortController() };
    asleep = own;
    sleep(until - steadyNow(), own.stop.signal).then(
      () => {
        if (asleep === own) asleep = null;
        for (const alarm of [...waiting]) if (alarm.at <= until && waiting.delete(alarm)) alarm.ring();
        sleepUntilFirst();
      },
      () => undefined,
    );
  }

  /** The next call mostly comes at once, and then finds the clock waiting; a program that has ended must not wait for it. */
  function leaveSoon(): void {
    if (isLeaving) return;
    isLeaving = true;
    setImmediate(() => {
      isLeaving = false;
      if (waiting.size > 0) return;
      asleep?.stop.abort('nobody waits');
      asleep = null;
    });
  }

  return {
    set(ms, ring) {
      const alarm = { at: steadyNow() + ms, ring };
      waiting.add(alarm);
      if (!asleep || asleep.until > alarm.at) sleepUntilFirst();
      return () => {
        if (waiting.delete(alarm) && waiting.size === 0) leaveSoon();
      };
    },
  };
}
