import { orNull, SettingsError } from '@toolwright/machine/base/errors.js';
import { readRegularFile } from '@toolwright/machine/host/plain-files/regular-file.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Temporality } from './otlp.js';

/** The settings `telemetry.*`. */
export interface TelemetrySettings {
  enabled: boolean;
  endpoint?: string | undefined;
  content: boolean;
}

/** Certificates as PEM: of the authorities to trust, and of this client. */
export interface Certificates {
  ca?: string[] | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export interface Destination {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  compressed: boolean;
  tls: Certificates;
}

/** The target of spans and metrics, and their content. */
export interface TelemetryConfiguration {
  /** Null where they are not wanted. */
  traces: Destination | null;
  metrics: Destination | null;
  temporality: Temporality;
  /** True if texts go along, not only numbers. */
  content: boolean;
  resource: Record<string, string>;
  /** The span that a calling program named, as `TRACEPARENT` writes it. */
  parent: { traceId: string; spanId: string } | null;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;

/** Reads the configuration from settings and the variables of OpenTelemetry; null while telemetry is off. */
export function telemetryConfiguration(
  { enabled, endpoint, content }: TelemetrySettings,
  environment: Environment,
): TelemetryConfiguration | null {
  if (!enabled || environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null;
  const signal = (name: Signal): Destination | null =>
    environment[`OTEL_${name}_EXPORTER`] === 'none' ? null : destinationOf(name, endpoint, environment);
  const preference = environment['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'] ?? '';
  return {
    traces: signal('TRACES'),
    metrics: signal('METRICS'),
    temporality: preference.toLowerCase() === 'delta' ? 'delta' : 'cumulative',
    content,
    resource: resourceOf(environment),
    parent: parentOf(environment['TRACEPARENT']),
  };
}

type Signal = 'TRACES' | 'METRICS';

function destinationOf(name: Signal, endpoint: string | undefined, environment: Environment): Destination {
  const own = (key: string): Given | undefined => variableOf(name, key, environment);
  requireJson(own('PROTOCOL'));
  requireGzip(own('COMPRESSION'));
  return {
    url: addressOf(name, endpoint, environment),
    headers: pairsOf(own('HEADERS')?.value),
    timeoutMs: Number(own('TIMEOUT')?.value) || DEFAULT_TIMEOUT_MS,
    compressed: own('COMPRESSION')?.value === 'gzip',
    tls: certificatesOf(own),
  };
}

/** A variable that is set. */
interface Given {
  variable: string;
  value: string;
}

/** The variable of the signal, else the one for all. */
function variableOf(name: Signal, key: string, environment: Environment): Given | undefined {
  const names = [`OTEL_EXPORTER_OTLP_${name}_${key}`, `OTEL_EXPORTER_OTLP_${key}`];
  const variable = names.find((each) => environment[each]);
  return variable === undefined ? undefined : { variable, value: environment[variable]! };
}

const LARGEST_CERTIFICATE = 1024 * 1024;

function certificatesOf(own: (key: string) => Given | undefined): Certificates {
  const read = (key: string): string | undefined => {
    const given = own(key);
    if (!given) return undefined;
    const bytes = orNull(() => readRegularFile(given.value, LARGEST_CERTIFICATE));
    if (bytes) return bytes.toString('utf8');
    throw new SettingsError(`${given.variable} names ${given.value}, which can't be read.`);
  };
  const ca = read('CERTIFICATE');
  return {
    ca: ca === undefined ? undefined : [ca],
    cert: read('CLIENT_CERTIFICATE'),
    key: read('CLIENT_KEY'),
  };
}

function resourceOf(environment: Environment): Record<string, string> {
  const resource = pairsOf(environment['OTEL_RESOURCE_ATTRIBUTES']);
  const name = environment['OTEL_SERVICE_NAME'];
  return name ? { ...resource, 'service.name': name } : resource;
}

/** The name of a signal's own address is taken as it is; a common one gets the path of the signal. */
function addressOf(name: Signal, endpoint: string | undefined, environment: Environment): string {
  const own = environment[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`];
  const common = environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || endpoint || DEFAULT_ENDPOINT;
  const address = own || `${common.replace(/\/+$/, '')}/v1/${name.toLowerCase()}`;
  const url = orNull(() => new URL(address));
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new SettingsError(
    `Telemetry can't be sent to ${address}: it must be an address such as http://localhost:4318.`,
  );
}

/** Whoever asks for protobuf over HTTP gets JSON, which every collector takes at the same address. */
function requireJson(given: Given | undefined): void {
  if (!given || /^http\/(?:json|protobuf)$/.test(given.value)) return;
  throw new SettingsError(
    `Telemetry is sent over HTTP as JSON; ${given.variable} is ${given.value}. Set it to http/json, or leave it out.`,
  );
}

function requireGzip(given: Given | undefined): void {
  if (!given || /^(?:gzip|none)$/.test(given.value)) return;
  throw new SettingsError(
    `Telemetry is compressed by gzip or not at all; ${given.variable} is ${given.value}. Set it to gzip or none, or leave it out.`,
  );
}

/** `a=1,b=2`, each value as in a URL. */
function pairsOf(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at < 1 || name === '') return [];
    const value = pair.slice(at + 1).trim();
    return [[name, orNull(() => decodeURIComponent(value)) ?? value]];
  });
  return Object.fromEntries(pairs);
}

function parentOf(text = ''): TelemetryConfiguration['parent'] {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text.trim()) ?? [];
  const isSet = traceId && spanId && !/^0+$/.test(traceId) && !/^0+$/.test(spanId);
  return isSet ? { traceId, spanId } : null;
}
