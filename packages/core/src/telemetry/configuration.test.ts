import { expect, it } from 'vitest';
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
