import { type FleetStatus, finalStates } from '@toolwright/fleet';

/** How long the fleet has worked since the first look, and how many tasks have ended since. */
export interface WorkedTime {
  workedMs: number;
  endedHere: number;
}

/** Adds up the time between looks in which a task ran or ended: a fleet that waits for a worker or an answer does not get slower. */
export function openWorkedTime(): (states: FleetStatus['states'], nowMs: number) => WorkedTime {
  let last: { nowMs: number; ended: number; running: number } | null = null;
  const sum = { workedMs: 0, endedHere: 0 };
  return (states, nowMs) => {
    const ended = finalStates.reduce((total, state) => total + states[state], 0);
    if (last) {
      if (last.running > 0 || ended > last.ended) sum.workedMs += nowMs - last.nowMs;
      sum.endedHere += ended - last.ended;
    }
    last = { nowMs, ended, running: states.running };
    return { ...sum };
  };
}
