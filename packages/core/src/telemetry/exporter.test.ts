import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { telemetryConfiguration } from './configuration.js';
import { createExporter } from './exporter.js';
import { createMeasures } from './measures.js';
import type { Span } from './otlp.js';

const span = (number: number): Span => ({
  traceId: '1'.repeat(32),
  spanId: number.toString(16).padStart(16, '0'),
  name: 'x',
  kind: 'internal',
  startMs: 1,
  endMs: 2,
  attributes: {},
});

interface ExporterOptions {
  endpoint: string;
  content?: boolean;
  now?(): number;
}

/** An exporter to the endpoint, and the sentences that it logs. */
function openExporter({ endpoint, content = false, now = () => 0 }: ExporterOptions) {
  const said: string[] = [];
  const exporter = createExporter({
    configuration: telemetryConfiguration({ enabled: true, content, endpoint }, {})!,
    measures: createMeasures('cumulative', 0),
    source: { version: '1', resource: {} },
    open: () => createHttp(),
    log: (sentence) => said.push(sentence),
    now,
  });
  return { exporter, said };
}

/** A collector that answers with a status once a body has come whole. */
async function openCollector(onBody: (size: number) => number) {
  const server = createServer((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => void (size += chunk.length));
    request.on('end', () => response.writeHead(onBody(size)).end('{}'));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('the exporter holds a bounded number of spans for a collector that is down, and says once how many were lost', async () => {
  const { exporter, said } = openExporter({ endpoint: 'http://127.0.0.1:9' });
  for (let number = 1; number <= 10_000; number++) exporter.add(span(number));
  await exporter.end();
  expect(said).toEqual([expect.stringContaining('127.0.0.1:9'), '10000 spans were not sent.']);
});

const text = 'x'.repeat(30_000);

it.each<[string, Partial<Span>]>([
  ['texts of the model', { attributes: { 'gen_ai.output.messages': text } }],
  ['reasons of failures', { failure: text }],
])(
  'the exporter holds a bounded number of bytes in %s, and sends no more at once than collectors take',
  async (_name, more) => {
    const sizes: number[] = [];
    let isDown = true;
    const endpoint = await openCollector((size) => {
      if (!isDown) sizes.push(size);
      return isDown ? 503 : 200;
    });
    const { exporter, said } = openExporter({ endpoint, content: true });
    for (let number = 1; number <= 1_000; number++) exporter.add({ ...span(number), ...more });
    isDown = false;
    await exporter.end();
    const sent = sizes.reduce((sum, size) => sum + size, 0);
    expect(Math.max(...sizes)).toBeLessThan(4_500_000);
    expect(sent).toBeLessThan(17_000_000);
    expect(sent).toBeGreaterThan(15_000_000);
    expect(said).toEqual([expect.stringMatching(/^4\d\d spans were not sent\.$/)]);
  },
);

it('the exporter asks a collector that refuses less and less often, and once more at the end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  let requests = 0;
  const endpoint = await openCollector(() => {
    requests += 1;
    return 503;
  });
  let now = 0;
  const { exporter } = openExporter({ endpoint, now: () => now });
  exporter.add(span(1));
  const expected = [1, 1, 2, 2, 2, 2, 3, 3];
  const asked: number[] = [];
  for (const count of expected) {
    now += 5_000;
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => requests, { timeout: 5_000 }).toBe(count);
    await new Promise((resolve) => setTimeout(resolve, 50));
    asked.push(requests);
  }
  await exporter.end();
  vi.useRealTimers();
  expect(asked).toEqual(expected);
  expect(requests).toBe(4);
});

it('a histogram counts each value once, and begins anew with each export of deltas', () => {
  const measures = createMeasures('delta', 1_000);
  for (const value of [1, 4, 5, 10 ** 9]) measures.record('gen_ai.client.token.usage', value, { a: 'b' });
  measures.record('toolwright.denials', 1, {});
  const [tokens, denials] = measures.collect(2_000);
  expect(tokens?.points[0]).toMatchObject({
    count: 4,
    sum: 10 ** 9 + 10,
    min: 1,
    max: 10 ** 9,
    startMs: 1_000,
    endMs: 2_000,
  });
  expect(tokens?.points[0]).toHaveProperty('counts', [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(denials).toMatchObject({ kind: 'sum', points: [{ value: 1 }] });
  expect(measures.collect(3_000)).toEqual([]);
});
