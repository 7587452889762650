import type { Message } from '@toolwright/machine/base/content.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { Log } from '@toolwright/machine/host/host.js';
import { createHttp } from '@toolwright/machine/host/http/http.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { AgentEvent } from '../agent/events.js';
import type { ModelClient } from '../model/model.js';
import type { SavedEntry } from '../session/journal.js';
import type { TelemetryConfiguration } from './configuration.js';
import { contentFilter } from './content.js';
import { createExporter, type Exporter } from './exporter.js';
import { createMeasures, type Measures } from './measures.js';
import { hex, type OpenSpan, observeModel } from './observe-model.js';
import { callSpan, chatSpan, type OpenCall, operationOn, promptSpan } from './spans.js';

/** The part of an agent that telemetry tells about. */
export interface ObservedAgent {
  session: { id: string };
  model: Pick<ModelClient, 'provider' | 'model'>;
  redactor: Redactor;
  host: { log: Pick<Log, 'error'> };
}

/** Sends spans and metrics of a session to a collector. */
export interface Telemetry {
  /** Options of the agent that is observed. */
  wrapModel(client: ModelClient): ModelClient;
  onEntry(entry: SavedEntry): void;
  onEvent(event: AgentEvent): void;
  begin(agent: ObservedAgent): void;
  end(): Promise<void>;
}

/** The options of telemetry. */
export interface TelemetryOptions {
  configuration: TelemetryConfiguration;
  environment: Environment;
  /** Version of the program. */
  version: string;
}

/** Tells a collector of OpenTelemetry what a session does. Nothing in the session waits for it or fails by it. */
export function openTelemetry({ configuration, environment, version }: TelemetryOptions): Telemetry {
  const now = (): number => performance.timeOrigin + performance.now();
  const measures = createMeasures(configuration.temporality, now());
  const resource = { 'service.name': 'toolwright', 'service.version': version, ...configuration.resource };
  const exporter = createExporter({
    configuration,
    measures,
    now,
    source: { version, resource },
    open: ({ tls }) => createHttp({ environment, ...tls }),
    log: (sentence) => observed.log(sentence),
  });
  const observed = new ObservedSession({ configuration, version, now, measures, exporter });
  return {
    wrapModel: (client) => observed.wrapModel(client),
    onEntry: (entry) => observed.hearEntry(entry),
    onEvent: (event) => observed.hearEvent(event),
    begin: (agent) => observed.begin(agent),
    end: () => exporter.end(),
  };
}

interface ObservedNeeds extends Pick<TelemetryOptions, 'configuration' | 'version'> {
  now(): number;
  measures: Measures;
  exporter: Exporter;
}

/** The open spans of a session: its prompt, and the calls that run. */
class ObservedSession {
  readonly #needs: ObservedNeeds;
  readonly #content;
  readonly #traceId: string;
  readonly #calls = new Map<string, OpenCall>();
  #agent: ObservedAgent | null = null;
  #prompt: OpenSpan | null = null;

  constructor(needs: ObservedNeeds) {
    const { content, parent } = needs.configuration;
    this.#needs = needs;
    this.#content = contentFilter(content, () => this.#agent!.redactor);
    this.#traceId = parent?.traceId ?? hex(16);
  }

  begin(agent: ObservedAgent): void {
    this.#agent = agent;
  }

  log(sentence: string): void {
    this.#agent?.host.log.error(sentence);
  }

  wrapModel(client: ModelClient): ModelClient {
    const { now, measures } = this.#needs;
    return observeModel(client, {
      now,
      ended: (asked, request) => {
        if (!this.#agent) return;
        this.#tell(chatSpan(client, asked, request, this.#content), this.#prompt?.spanId);
        if (asked.usage) measureTokens(measures, client, asked.usage);
      },
    });
  }

  hearEntry(entry: SavedEntry): void {
    const { now, measures } = this.#needs;
    if (entry.type === 'message' && isPrompt(entry.message))
      this.#prompt ??= { spanId: hex(8), startMs: now() };
    if (entry.type === 'call-start')
      this.#calls.set(entry.callId, { start: entry, spanId: hex(8), startMs: now() });
    const call = 'callId' in entry ? this.#calls.get(entry.callId) : undefined;
    if (call && entry.type === 'call-decision') call.decision = entry;
    if (!call || entry.type !== 'call-end' || !this.#agent) return;
    this.#calls.delete(entry.callId);
    this.#tell(callSpan(call, entry, this.#content), this.#prompt?.spanId);
    measureDecision(measures, call);
  }

  hearEvent(event: AgentEvent): void {
    if (event.type !== 'result' || !this.#agent || !this.#prompt) return;
    const about = { model: this.#agent.model, version: this.#needs.version, content: this.#content };
    this.#tell(promptSpan(this.#prompt, event.result, about));
    this.#prompt = null;
  }

  #tell({ span, duration, attributes }: ReturnType<typeof callSpan>, parentSpanId?: string): void {
    const { now, exporter, measures, configuration } = this.#needs;
    const endMs = now();
    exporter.add({
      traceId: this.#traceId,
      parentSpanId: parentSpanId ?? configuration.parent?.spanId,
      endMs,
      ...span,
      attributes: { ...span.attributes, 'gen_ai.conversation.id': this.#agent!.session.id },
    });
    measures.record(duration, (endMs - span.startMs) / 1_000, attributes);
  }
}

function measureTokens(
  measures: Measures,
  client: ModelClient,
  usage: { inputTokens: number; outputTokens: number },
): void {
  const tokens = { input: usage.inputTokens, output: usage.outputTokens };
  for (const [type, count] of Object.entries(tokens))
    measures.record('gen_ai.client.token.usage', count, {
      ...operationOn('chat', client),
      'gen_ai.token.type': type,
    });
}

function measureDecision(measures: Measures, { start, decision }: OpenCall): void {
  const named = { 'gen_ai.tool.name': start.tool };
  if (decision?.waitedMs !== undefined) {
    const asked = { ...named, 'toolwright.outcome': decision.outcome };
    measures.record('toolwright.questions', 1, asked);
    measures.record('toolwright.question.duration', decision.waitedMs / 1_000, asked);
  }
  const isDenied = decision?.decision === 'deny' || decision?.outcome === 'cancel';
  const by = decision?.decision === 'deny' ? 'rule' : 'user';
  if (isDenied) measures.record('toolwright.denials', 1, { ...named, 'toolwright.denied_by': by });
}

function isPrompt({ role, parts }: Message): boolean {
  return role === 'user' && !parts.some(({ functionResponse }) => functionResponse);
}
