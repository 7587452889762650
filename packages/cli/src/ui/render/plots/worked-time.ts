/** How long the fleet has worked since the first look, and how many tasks have ended since. */
export interface WorkedTime {
  workedMs: number;
  endedHere: number;
}

/** The number of tasks that run and of those that have ended at a moment. */
interface Look {
  nowMs: number;
  running: number;
  ended: number;
}

/** Adds up the time between looks in which a task ran or ended: a fleet that waits for a worker or an answer does not get slower. */
export function openWorkedTime(): (look: Look) => WorkedTime {
  let last: Look | null = null;
  const sum = { workedMs: 0, endedHere: 0 };
  return (look) => {
    if (last) {
      if (last.running > 0 || look.ended > last.ended) sum.workedMs += look.nowMs - last.nowMs;
      sum.endedHere += look.ended - last.ended;
    }
    last = look;
    return { ...sum };
  };
}
