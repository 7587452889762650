import { formatDuration, formatNumber, plural } from '@toolwright/core/front-end';
import type { FleetBoard, TaskRow, TaskState } from '../../wire/fleet.js';

/** A state in words for people. */
export const stateWords: Readonly<Record<TaskState, string>> = {
  parked: 'asks you',
  running: 'running',
  failed: 'failed',
  poison: 'put aside',
  done: 'done',
  cancelled: 'cancelled',
  queued: 'waiting',
};

/** Rate, time left, tokens and cost, as at the terminal. */
export function boardFacts({ states, usage, perMinute, leftMs }: FleetBoard): string[] {
  const left = states.queued + states.running;
  const rate =
    perMinute === null ? null : `${perMinute < 10 ? perMinute : Math.round(perMinute)} tasks a minute`;
  return [
    rate ?? (left > 0 ? 'none ended in the last 10 minutes' : null),
    left === 0 ? 'nothing left' : leftMs === null ? 'time left not known yet' : `${spanText(leftMs)} left`,
    `${formatNumber(usage.inputTokens + usage.outputTokens)} tokens`,
    `$${usage.cost.toFixed(2)}`,
  ].filter((fact) => fact !== null);
}

/** Exact to the second, the minute or the hour, as far as one can know. */
function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function taskFacts({ place, labels, worker, startedAt, endedAt, tokens, cost }: TaskRow): string[] {
  return [
    place,
    ...labels.map((label) => `#${label}`),
    startedAt !== undefined && endedAt !== undefined ? formatDuration(endedAt - startedAt) : null,
    tokens > 0 ? `${plural(tokens, 'token')}` : null,
    cost > 0 ? `$${cost.toFixed(cost < 1 ? 4 : 2)}` : null,
    worker === undefined ? null : `by ${worker}`,
  ].filter((fact) => fact !== null);
}
