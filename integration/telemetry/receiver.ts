import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Json = Record<string, unknown>;

export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  status: { code?: number; message?: string };
}

export interface Receiver {
  url: string;
  spans: ReceivedSpan[];
  metrics: { name: string; unit: string; points: Json[] }[];
  /** The broken rules of OTLP, or of a span's place among others. */
  problems: string[];
  requests: { path: string; headers: Record<string, unknown>; text: string }[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** Statuses of the first answers; 200 afterwards. */
  statuses?: number[];
  /** Takes requests and never answers. */
  isSilent?: boolean;
}

/** A collector that accepts what OTLP in JSON allows and nothing else. */
export async function startReceiver({
  statuses = [],
  isSilent = false,
}: ReceiverOptions = {}): Promise<Receiver> {
  const received: Omit<Receiver, 'url' | 'close'> = { spans: [], metrics: [], problems: [], requests: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (isSilent) return;
      const status = statuses.shift() ?? 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      if (status !== 200) return;
      const bytes = Buffer.concat(chunks);
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
      received.requests.push({ path: request.url ?? '', headers: request.headers, text });
      if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
        received.problems.push(`${request.method} with ${request.headers['content-type']}`);
      take(request.url ?? '', JSON.parse(text) as Json, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...received,
    url,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function take(path: string, body: Json, received: Omit<Receiver, 'url' | 'close'>): void {
  const check = checker(received.problems);
  if (path === '/v1/traces') {
    check.keys(body, ['resourceSpans']);
    for (const resource of check.list(body['resourceSpans'])) {
      check.keys(resource, ['resource', 'scopeSpans']);
      check.attributes((resource['resource'] as Json)['attributes']);
      for (const scope of check.list(resource['scopeSpans'])) {
        check.keys(scope, ['scope', 'spans']);
        for (const span of check.list(scope['spans'])) received.spans.push(spanOf(span, check));
      }
    }
    return;
  }
  if (path !== '/v1/metrics') {
    received.problems.push(`no such path: ${path}`);
    return;
  }
  check.keys(body, ['resourceMetrics']);
  for (const resource of check.list(body['resourceMetrics']))
    for (const scope of check.list(resource['scopeMetrics']))
      for (const metric of check.list(scope['metrics'])) received.metrics.push(metricOf(metric, check));
}

const spanKeys = [
  'traceId',
  'spanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
];

function spanOf(span: Json, check: Checker): ReceivedSpan {
  check.keys(span, spanKeys, ['parentSpanId']);
  check.matches(span['traceId'], /^[0-9a-f]{32}$/);
  check.matches(span['spanId'], /^[0-9a-f]{16}$/);
  if ('parentSpanId' in span) check.matches(span['parentSpanId'], /^[0-9a-f]{16}$/);
  for (const key of ['startTimeUnixNano', 'endTimeUnixNano']) check.matches(span[key], /^\d{19}$/);
  check.that(
    BigInt(String(span['endTimeUnixNano'])) >= BigInt(String(span['startTimeUnixNano'])),
    'ends before it starts',
  );
  check.that(span['kind'] === 1 || span['kind'] === 3, `kind ${String(span['kind'])}`);
  return { ...(span as unknown as ReceivedSpan), attributes: check.attributes(span['attributes']) };
}

function metricOf(metric: Json, check: Checker): Receiver['metrics'][number] {
  const data = (metric['histogram'] ?? metric['sum']) as Json;
  check.keys(metric, ['name', 'unit', 'description', 'histogram' in metric ? 'histogram' : 'sum']);
  check.that([1, 2].includes(Number(data['aggregationTemporality'])), 'temporality');
  const points = check.list(data['dataPoints']);
  for (const point of points) {
    check.attributes(point['attributes']);
    for (const key of ['startTimeUnixNano', 'timeUnixNano']) check.matches(point[key], /^\d{19}$/);
    if (!('histogram' in metric)) {
      check.matches(point['asInt'], /^\d+$/);
      continue;
    }
    const [counts, bounds] = [point['bucketCounts'] as string[], point['explicitBounds'] as number[]];
    check.that(counts.length === bounds.length + 1, 'one count more than bounds');
    const sum = counts.reduce((total, count) => total + Number(count), 0);
    check.that(String(sum) === point['count'], 'counts add up');
  }
  return { name: String(metric['name']), unit: String(metric['unit']), points };
}

type Checker = ReturnType<typeof checker>;

function checker(problems: string[]) {
  const that = (isTrue: boolean, problem: string): void => {
    if (!isTrue) problems.push(problem);
  };
  return {
    that,
    matches: (value: unknown, pattern: RegExp) =>
      that(typeof value === 'string' && pattern.test(value), `${JSON.stringify(value)} against ${pattern}`),
    list: (value: unknown): Json[] => {
      that(Array.isArray(value) && value.length > 0, `no list: ${JSON.stringify(value)}`);
      return (value as Json[]) ?? [];
    },
    keys(value: Json, required: string[], optional: string[] = []): void {
      for (const key of required) that(key in value, `${key} is missing`);
      for (const key of Object.keys(value))
        that([...required, ...optional].includes(key), `unknown key ${key}`);
    },
    attributes(value: unknown): Record<string, unknown> {
      const entries = (value as { key: string; value: Json }[]).map(
        ({ key, value: held }): [string, unknown] => {
          const [kind = '', ...more] = Object.keys(held);
          that(
            more.length === 0 &&
              ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue'].includes(kind),
            `${key}: ${kind}`,
          );
          that(kind !== 'intValue' || /^-?\d+$/.test(String(held[kind])), `${key}: an integer is a text`);
          return [key, held[kind]];
        },
      );
      that(new Set(entries.map(([key]) => key)).size === entries.length, 'an attribute comes twice');
      return Object.fromEntries(entries);
    },
  };
}
