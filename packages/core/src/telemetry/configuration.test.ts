import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { telemetryConfiguration } from './configuration.js';

const on = { enabled: true, content: false };

it.each([
  [{}, 'http://localhost:4318/v1/traces', 'http://localhost:4318/v1/metrics'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.test/otlp/' },
    'https://c.test/otlp/v1/traces',
    'https://c.test/otlp/v1/metrics',
  ],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.test/x', OTEL_METRICS_EXPORTER: 'none' },
    'https://t.test/x',
    undefined,
  ],
])('telemetry reads the addresses of %o', (environment, traces, metrics) => {
  const configuration = telemetryConfiguration(on, environment);
  expect([configuration?.traces?.url, configuration?.metrics?.url]).toEqual([traces, metrics]);
});

it('the variables of a signal count before the common ones, and the environment before the settings', () => {
  const configuration = telemetryConfiguration(
    { ...on, endpoint: 'http://settings.test' },
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://environment.test',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=two%20words',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'DELTA',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=tools',
    },
  );
  expect(configuration).toMatchObject({
    traces: { url: 'http://environment.test/v1/traces', headers: { a: '1', b: 'two words' }, timeoutMs: 500 },
    metrics: { headers: { a: '2' } },
    temporality: 'delta',
    resource: { 'service.name': 'mine', team: 'tools' },
    parent: null,
  });
});

it.each([
  [{ enabled: false, content: true }, {}],
  [on, { OTEL_SDK_DISABLED: 'TRUE' }],
])('telemetry is off with %o and %o', (settings, environment) => {
  expect(telemetryConfiguration(settings, environment)).toBeNull();
});

it('a certificate of the collector, and one of the client, are read from the files that the variables name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-telemetry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => {
    writeFileSync(join(folder, name), `PEM of ${name}`);
    return join(folder, name);
  };
  const environment = {
    OTEL_EXPORTER_OTLP_CERTIFICATE: file('ca'),
    OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE: file('ca-of-metrics'),
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file('client'),
    OTEL_EXPORTER_OTLP_CLIENT_KEY: file('key'),
  };
  const client = { cert: 'PEM of client', key: 'PEM of key' };
  expect(telemetryConfiguration(on, environment)).toMatchObject({
    traces: { tls: { ca: ['PEM of ca'], ...client } },
    metrics: { tls: { ca: ['PEM of ca-of-metrics'], ...client } },
  });
  expect(() => telemetryConfiguration(on, { OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: '/nowhere.pem' })).toThrow(
    "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE names /nowhere.pem, which can't be read.",
  );
});

it.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, null],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, null],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc'],
  [{ OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL is grpc'],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, 'OTEL_EXPORTER_OTLP_COMPRESSION is zstd'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, "can't be sent to localhost:4317/v1/traces"],
])('telemetry takes %o, or says what it does not support', (environment, refusal) => {
  const read = () => telemetryConfiguration(on, environment);
  if (refusal === null) expect(read()).not.toBeNull();
  else expect(read).toThrow(refusal);
});
