import type { HistogramPoint, Metric, SpanAttributes, SumPoint, Temporality } from './otlp.js';

interface Instrument {
  kind: Metric['kind'];
  unit: string;
  description: string;
  bounds?: readonly number[];
}

const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power);
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** Every metric that is sent. */
export const instruments = {
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    unit: '{token}',
    bounds: tokens,
    description: 'Tokens of one answer of a model.',
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    bounds: seconds,
    description: 'Time that one answer of a model took.',
  },
  'gen_ai.invoke_agent.duration': {
    kind: 'histogram',
    unit: 's',
    bounds: seconds,
    description: 'Time that one prompt took.',
  },
  'gen_ai.execute_tool.duration': {
    kind: 'histogram',
    unit: 's',
    bounds: seconds,
    description: 'Time that one call took, with its question.',
  },
  'toolwright.question.duration': {
    kind: 'histogram',
    unit: 's',
    bounds: seconds,
    description: 'Time that a question to the user was open.',
  },
  'toolwright.questions': { kind: 'sum', unit: '{question}', description: 'Questions to the user.' },
  'toolwright.denials': { kind: 'sum', unit: '{call}', description: 'Calls that were refused.' },
} as const satisfies Record<string, Instrument>;

export type InstrumentName = keyof typeof instruments;

export interface Measures {
  record(name: InstrumentName, value: number, attributes: SpanAttributes): void;
  /** The metrics as they stand; with the temporality `delta` they begin anew. Empty where nothing was recorded. */
  collect(nowMs: number): Metric[];
}

const MOST_POINTS = 1_000;

export function createMeasures(temporality: Temporality, startMs: number): Measures {
  let begun = startMs;
  let points = new Map<string, { name: InstrumentName; point: HistogramPoint | SumPoint }>();
  return {
    record(name, value, attributes) {
      const key = JSON.stringify([name, attributes]);
      const found = points.get(key)?.point;
      if (!found && points.size >= MOST_POINTS) return;
      const point = found ?? emptyPoint(name, attributes);
      points.set(key, { name, point });
      add(point, value);
    },
    collect(nowMs) {
      const metrics = metricsOf([...points.values()], { startMs: begun, endMs: nowMs });
      if (temporality === 'delta') [points, begun] = [new Map(), nowMs];
      return metrics;
    },
  };
}

function emptyPoint(name: InstrumentName, attributes: SpanAttributes): HistogramPoint | SumPoint {
  const instrument: Instrument = instruments[name];
  const times = { attributes, startMs: 0, endMs: 0 };
  if (instrument.kind === 'sum') return { ...times, value: 0 };
  const bounds = instrument.bounds ?? [];
  const counts = new Array<number>(bounds.length + 1).fill(0);
  return { ...times, bounds, counts, count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: 0 };
}

function add(point: HistogramPoint | SumPoint, value: number): void {
  if ('value' in point) {
    point.value += value;
    return;
  }
  const at = point.bounds.findIndex((bound) => value <= bound);
  const counts = point.counts as number[];
  counts[at === -1 ? point.bounds.length : at]! += 1;
  point.count += 1;
  point.sum += value;
  point.min = Math.min(point.min, value);
  point.max = Math.max(point.max, value);
}

function metricsOf(
  recorded: { name: InstrumentName; point: HistogramPoint | SumPoint }[],
  times: { startMs: number; endMs: number },
): Metric[] {
  const metrics = new Map<InstrumentName, Metric>();
  for (const { name, point } of recorded) {
    const { kind, unit, description } = instruments[name];
    const metric = metrics.get(name) ?? ({ kind, name, unit, description, points: [] } as Metric);
    metrics.set(name, metric);
    (metric.points as (HistogramPoint | SumPoint)[]).push({ ...point, ...times });
  }
  return [...metrics.values()];
}
