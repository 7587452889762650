import { formatNumber, paceOf, rateWords, timeLeftWords } from '@toolwright/core/front-end';
import { type Appearance, clipped, line, type Style, type StyledLine, wrap } from '../line.js';
import { barOf } from './bar.js';
import type { WorkedTime } from './worked-time.js';

export type FleetState = 'done' | 'running' | 'parked' | 'queued' | 'failed' | 'poison' | 'cancelled';

/** The number of tasks in each state, what they used, and what failed last. */
export interface FleetLook {
  states: Record<FleetState, number>;
  usage: { inputTokens: number; outputTokens: number; cost: number };
  lastFailure: { title: string; message: string } | null;
}

export interface FleetDrawing extends WorkedTime {
  width: number;
  appearance: Appearance;
}

const styles: Record<FleetState, Style> = {
  done: { color: 'green' },
  running: { color: 'cyan' },
  parked: { color: 'yellow' },
  queued: { dim: true },
  failed: { color: 'red' },
  poison: { color: 'red' },
  cancelled: { dim: true },
};

const order: FleetState[] = ['done', 'running', 'parked', 'queued', 'failed', 'poison', 'cancelled'];
const NAME_WIDTH = 10;
const COUNT_WIDTH = 9;
const WIDEST_BAR = 60;

/** A bar for each state that tasks are in, then rate, time left, cost and the last failure. */
export function renderFleet(look: FleetLook, drawing: FleetDrawing): StyledLine[] {
  const { states, usage, lastFailure } = look;
  const { width, appearance } = drawing;
  const total = Math.max(
    1,
    order.reduce((sum, state) => sum + states[state], 0),
  );
  const room = Math.max(4, Math.min(WIDEST_BAR, width - NAME_WIDTH - COUNT_WIDTH));
  const bars = order
    .filter((state) => states[state] > 0 || state === 'done' || state === 'running')
    .map((state): StyledLine => {
      return [
        ...line(state.padEnd(NAME_WIDTH)),
        ...line(
          String(states[state])
            .padStart(COUNT_WIDTH - 2)
            .padEnd(COUNT_WIDTH),
        ),
        ...line(barOf(states[state] / total, room, appearance), styles[state]),
      ];
    });
  const tokens = usage.inputTokens + usage.outputTokens;
  const left = states.queued + states.running;
  const { perMinute, leftMs } = paceOf({ ended: drawing.endedHere, workedMs: drawing.workedMs, left });
  const facts = [
    rateWords(perMinute ?? 0),
    timeLeftWords(left, leftMs),
    `${formatNumber(tokens)} tokens`,
    `$${usage.cost.toFixed(2)}`,
  ];
  const failure = lastFailure
    ? failureLines(`last failure: ${lastFailure.title}: ${lastFailure.message}`, width)
    : [];
  const wrapped = wrap(line(facts.join(' · '), { dim: true }), width);
  return [...bars, ...wrapped, ...failure].map((each) => clipped(each, width, appearance));
}

const FAILURE_ROWS = 2;

function failureLines(text: string, width: number): StyledLine[] {
  const style: Style = { color: 'red' };
  const lines = wrap(line(text, style), width);
  if (lines.length <= FAILURE_ROWS) return lines;
  const rest = lines.slice(FAILURE_ROWS - 1).flatMap((each) => [...each, ...line(' ', style)]);
  return [...lines.slice(0, FAILURE_ROWS - 1), rest];
}
