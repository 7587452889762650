import { formatDuration, formatNumber, plural, rateWords, timeLeftWords } from '@toolwright/core/front-end';
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

/** Rate, time left, tokens and cost, in the words of the terminal. */
export function boardFacts({ states, usage, perMinute, leftMs }: FleetBoard): string[] {
  const left = states.queued + states.running;
  return [
    perMinute !== null ? rateWords(perMinute) : left > 0 ? 'none ended in the last 10 minutes' : null,
    timeLeftWords(left, leftMs),
    `${formatNumber(usage.inputTokens + usage.outputTokens)} tokens`,
    `$${usage.cost.toFixed(2)}`,
  ].filter((fact) => fact !== null);
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
