import { gzipSync } from 'node:zlib';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { deadlineIn, unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { Http } from '@toolwright/machine/host/http/http.js';
import type { Destination, TelemetryConfiguration } from './configuration.js';
import type { Measures } from './measures.js';
import { metricsBody, type Source, type Span, tracesBody } from './otlp.js';

/** Spans that wait for the collector, and the characters of their texts; more are dropped, and counted. */
const MOST_WAITING = { spans: 2_048, letters: 16_000_000 };
/** One request: collectors refuse bodies of more than 20 MB. */
const MOST_AT_ONCE = { spans: 512, letters: 4_000_000 };
const SPANS_EVERY_MS = 5_000;
const METRICS_EVERY_MS = 60_000;
/** The end of the program waits no longer for a collector. */
const END_LIMIT_MS = 2_000;

export interface Exporter {
  add(span: Span): void;
  /** Sends what waits, as far as it goes in the time there is. */
  end(): Promise<void>;
}

export interface ExporterNeeds {
  configuration: TelemetryConfiguration;
  measures: Measures;
  source: Source;
  /** Opens connections to a destination. */
  open(destination: Destination): Http & { close(): void };
  now(): number;
  /** Called once when something could not be sent. */
  log(sentence: string): void;
}

/** Sends spans and metrics now and then. It never throws, never waits, and holds a bounded number of spans. */
export function createExporter(needs: ExporterNeeds): Exporter {
  const { configuration, measures, source, now } = needs;
  const { traces, metrics } = openSignals(configuration, needs.open);
  const tell = once((why: string) => needs.log(`Telemetry could not be sent: ${why}`));
  const waiting = waitingSpans();
  const rest = createRest(now);
  const sendSpans = async (limitMs: number): Promise<void> => {
    while (traces && waiting.count() > 0) {
      const batch = waiting.take();
      const outcome = await post(traces, tracesBody(batch, source), limitMs);
      if (outcome === 'sent') {
        rest.end();
        continue;
      }
      tell(outcome.why);
      if (outcome.isPassing) waiting.giveBack(batch);
      return rest.begin();
    }
  };
  const sendMetrics = async (limitMs: number): Promise<void> => {
    const measured = metrics ? measures.collect(now()) : [];
    if (!metrics || measured.length === 0) return;
    const body = metricsBody(measured, source, configuration.temporality);
    const outcome = await post(metrics, body, limitMs);
    if (outcome !== 'sent') tell(outcome.why);
  };
  const failed = (error: unknown): void => tell(messageOf(error));
  const stop = everyNowAndThen(
    [
      [async (limitMs) => (rest.isOn() ? undefined : sendSpans(limitMs)), SPANS_EVERY_MS],
      [sendMetrics, METRICS_EVERY_MS],
    ],
    failed,
  );
  return {
    add(span) {
      if (traces) waiting.add(span);
    },
    async end() {
      stop();
      const rest = Promise.all([sendSpans(END_LIMIT_MS), sendMetrics(END_LIMIT_MS)]);
      await unlessAborted(rest.catch(failed), deadlineIn(END_LIMIT_MS)).catch(() => undefined);
      if (waiting.lost() > 0) needs.log(`${waiting.lost()} spans were not sent.`);
      for (const signal of [traces, metrics]) signal?.http.close();
    },
  };
}

const LONGEST_REST_MS = 60_000;

/** Rests that grow longer while a collector takes nothing: writing the same spans again and again would cost the session. */
function createRest(now: () => number) {
  let lengthMs = SPANS_EVERY_MS;
  let untilMs = 0;
  return {
    isOn: () => now() < untilMs,
    begin(): void {
      lengthMs = Math.min(LONGEST_REST_MS, 2 * lengthMs);
      untilMs = now() + lengthMs;
    },
    end(): void {
      lengthMs = SPANS_EVERY_MS;
    },
  };
}

function once(tell: (why: string) => void): (why: string) => void {
  let hasTold = false;
  return (why) => {
    if (!hasTold) tell(why);
    hasTold = true;
  };
}

/** A destination with the connections to it. */
type OpenSignal = Destination & { http: Http & { close(): void } };

function openSignals(
  { traces, metrics }: TelemetryConfiguration,
  open: ExporterNeeds['open'],
): { traces: OpenSignal | null; metrics: OpenSignal | null } {
  const opened = (to: Destination | null): OpenSignal | null => to && { ...to, http: open(to) };
  return { traces: opened(traces), metrics: opened(metrics) };
}

/** The spans that the collector does not have yet. */
function waitingSpans() {
  const waiting: Span[] = [];
  let letters = 0;
  let dropped = 0;
  return {
    count: () => waiting.length,
    add(span: Span): void {
      const more = lettersOf(span);
      const isFull = waiting.length >= MOST_WAITING.spans || letters + more > MOST_WAITING.letters;
      if (isFull) dropped += 1;
      else {
        waiting.push(span);
        letters += more;
      }
    },
    /** Takes the first ones, as many as one request may hold. */
    take(): Span[] {
      let [count, taken] = [0, 0];
      for (const span of waiting) {
        const more = lettersOf(span);
        if (count === MOST_AT_ONCE.spans || (count > 0 && taken + more > MOST_AT_ONCE.letters)) break;
        count += 1;
        taken += more;
      }
      letters -= taken;
      return waiting.splice(0, count);
    },
    /** Puts spans back that were not sent; spans that came meanwhile give way where there is no room for all. */
    giveBack(batch: Span[]): void {
      waiting.unshift(...batch);
      letters += batch.reduce((sum, span) => sum + lettersOf(span), 0);
      while (waiting.length > MOST_WAITING.spans || letters > MOST_WAITING.letters) {
        letters -= lettersOf(waiting.pop()!);
        dropped += 1;
      }
    },
    /** Spans that never went out. */
    lost: () => dropped + waiting.length,
  };
}

/** The length of a span's texts, by which its size is judged. */
function lettersOf({ attributes, failure = '' }: Span): number {
  let sum = failure.length;
  for (const value of Object.values(attributes)) if (typeof value === 'string') sum += value.length;
  return sum;
}

type Sending = (limitMs: number) => Promise<void>;

/** Sends each in its rhythm, one request at a time; gives what ends it. */
function everyNowAndThen(
  rhythms: readonly [Sending, number][],
  failed: (error: unknown) => void,
): () => void {
  let sending: Promise<void> = Promise.resolve();
  const timers = rhythms.map(([send, everyMs]) =>
    setInterval(() => {
      sending = sending.then(() => send(Number.POSITIVE_INFINITY)).catch(failed);
    }, everyMs).unref(),
  );
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** Statuses after which the same data may be sent again. */
const passingStatuses: readonly number[] = [429, 502, 503, 504];

type Posted = 'sent' | { why: string; isPassing: boolean };

async function post(
  { url, headers, timeoutMs, compressed, http }: OpenSignal,
  body: string,
  limitMs: number,
): Promise<Posted> {
  try {
    const response = await http.request({
      url,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-encoding': compressed ? 'gzip' : undefined,
      },
      body: compressed ? gzipSync(body) : body,
      signal: deadlineIn(Math.min(timeoutMs, limitMs)),
    });
    for await (const _ of response.body);
    if (response.status >= 200 && response.status < 300) return 'sent';
    const why = `${new URL(url).host} answered ${response.status}.`;
    return { why, isPassing: passingStatuses.includes(response.status) };
  } catch (error) {
    return { why: messageOf(error) || `no answer within ${timeoutMs} ms.`, isPassing: true };
  }
}
