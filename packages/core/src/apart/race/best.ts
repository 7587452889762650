import type { RaceState, RunnerState } from './race-state.js';

/**
 * The best work of a race, or null where nobody has any. With a check only work that passed it counts, without one only that of
 * sessions that came to their end; the smallest change wins.
 */
export function bestOf({ runners }: RaceState, { isChecked }: { isChecked: boolean }): RunnerState | null {
  const [best = null] = runners
    .filter((runner) => (runner.end?.work ?? null) !== null)
    .filter(({ check, end }) => (isChecked ? check?.passed === true : end?.reason === 'done'))
    .toSorted((left, right) => sizeOf(left) - sizeOf(right) || countOf(left) - countOf(right));
  return best;
}

/** Lines that a review would show. */
function sizeOf({ end }: RunnerState): number {
  return (end?.work?.added ?? 0) + (end?.work?.removed ?? 0);
}

function countOf({ end }: RunnerState): number {
  return end?.work?.files.length ?? 0;
}
