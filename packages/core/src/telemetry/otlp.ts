/** Data of OpenTelemetry as OTLP writes them in JSON: ids in hex, moments and whole numbers as decimal texts, enums as numbers. */

export type AttributeValue = string | number | boolean | readonly string[];
export type SpanAttributes = Record<string, AttributeValue | undefined>;

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  kind: 'internal' | 'client';
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  /** Set when it failed: a sentence for people, or nothing. */
  failure?: string | undefined;
}

export interface Point {
  attributes: SpanAttributes;
  startMs: number;
  endMs: number;
}

export interface HistogramPoint extends Point {
  count: number;
  sum: number;
  min: number;
  max: number;
  bounds: readonly number[];
  /** The count of each bucket; there is one more than bounds. */
  counts: readonly number[];
}

export interface SumPoint extends Point {
  value: number;
}

export type Metric =
  | { kind: 'histogram'; name: string; unit: string; description: string; points: HistogramPoint[] }
  | { kind: 'sum'; name: string; unit: string; description: string; points: SumPoint[] };

export type Temporality = 'delta' | 'cumulative';

export interface Source {
  /** SpanAttributes of the service. */
  resource: SpanAttributes;
  version: string;
}

export function tracesBody(spans: readonly Span[], source: Source): string {
  return JSON.stringify({
    resourceSpans: [
      { resource: resourceOf(source), scopeSpans: [{ scope: scopeOf(source), spans: spans.map(spanOf) }] },
    ],
  });
}

export function metricsBody(metrics: readonly Metric[], source: Source, temporality: Temporality): string {
  const written = metrics.map((metric) => metricOf(metric, temporality));
  return JSON.stringify({
    resourceMetrics: [
      { resource: resourceOf(source), scopeMetrics: [{ scope: scopeOf(source), metrics: written }] },
    ],
  });
}

const resourceOf = ({ resource }: Source) => ({ attributes: attributesOf(resource) });
const scopeOf = ({ version }: Source) => ({ name: 'toolwright', version });

function spanOf({ traceId, spanId, parentSpanId, name, kind, attributes, failure, ...span }: Span) {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: kind === 'internal' ? 1 : 3,
    ...spanTimes(span),
    attributes: attributesOf(attributes),
    status: failure === undefined ? {} : { code: 2, message: failure },
  };
}

function spanTimes({ startMs, endMs }: Pick<Span, 'startMs' | 'endMs'>) {
  return { startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)) };
}

function metricOf({ name, unit, description, ...metric }: Metric, temporality: Temporality) {
  const aggregationTemporality = temporality === 'delta' ? 1 : 2;
  if (metric.kind === 'sum') {
    const dataPoints = metric.points.map((point) => ({ ...pointOf(point), asInt: String(point.value) }));
    return { name, unit, description, sum: { aggregationTemporality, isMonotonic: true, dataPoints } };
  }
  const dataPoints = metric.points.map(({ count, sum, min, max, bounds, counts, ...point }) => ({
    ...pointOf(point),
    count: String(count),
    sum,
    min,
    max,
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  }));
  return { name, unit, description, histogram: { aggregationTemporality, dataPoints } };
}

function pointOf({ attributes, startMs, endMs }: Point) {
  return {
    attributes: attributesOf(attributes),
    startTimeUnixNano: nanoseconds(startMs),
    timeUnixNano: nanoseconds(endMs),
  };
}

/** Beyond what a number can hold exactly. */
function nanoseconds(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}

function attributesOf(attributes: SpanAttributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}
