import type { FunctionDeclaration } from '@toolwright/machine/base/content.js';
import { jsonIn } from '@toolwright/machine/base/json.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { HttpResponse } from '@toolwright/machine/host/http/http.js';
import { HttpError } from '@toolwright/machine/host/http/http-error.js';
import { classifyFailure, type Endpoint } from './failure.js';
import { type ModelClient, ModelError, type ModelEvent, type ModelRequest } from './model.js';
import { createCallRecovery } from './recovery/recover-calls.js';
import { defaultRetryLimits, parseRetryAfter, type RetryLimits, retryDelay } from './retry.js';
import { type CompiledTools, createToolCompiler, describeSetAside } from './schema/compile-tools.js';
import type { AnswerContext } from './wire/answer.js';
import { type Conversations, createConversations, type EncodedConversation } from './wire/conversation.js';
import { readAnswer, readBounded } from './wire/read-answer.js';
import type { DecoderContext, WireFormat } from './wire/wire-format.js';

export interface ClientOptions {
  format: WireFormat;
  endpoint: Endpoint;
  host: Pick<Host, 'http' | 'clock' | 'ids'>;
  /** Default true. */
  streaming?: boolean;
  /** Longest silence; models may think for minutes before the first word. */
  idleTimeoutMs?: number;
  retry?: Partial<RetryLimits>;
  /** Look for calls written as text. */
  recoverCalls?: boolean;
}

const DEFAULT_IDLE_MS = 300_000;
const MAX_ADAPTATIONS = 8;
const MAX_ERROR_BYTES = 256 * 1024;

/** A model behind any wire format: sends, reads, retries, learns from refusals. */
export function createClient(options: ClientOptions): ModelClient {
  const state = createState(options);
  return {
    provider: options.format.provider,
    model: options.endpoint.model,
    capabilities: options.format.capabilities,
    stream: (request, signal) => streamWithRetry(state, request, signal),
    async list(signal) {
      const { listModels } = await import('./catalogue/list-models.js');
      try {
        return await listModels(options, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw asModelError(error, options.endpoint);
      }
    },
  };
}

interface ClientState {
  options: ClientOptions;
  limits: RetryLimits;
  compileTools(tools: readonly FunctionDeclaration[]): CompiledTools;
  useCompiled(compiled: CompiledTools): void;
  conversations: Conversations;
  /** Tools the provider refused, by name. */
  refused: Set<string>;
  /** Messages said once. */
  said: Set<string>;
  heads: Map<string, { compiled: CompiledTools; head: Buffer; tail: Buffer; opened: boolean }>;
}

function createState(options: ClientOptions): ClientState {
  let current: CompiledTools | null = null;
  const compileTools = createToolCompiler(options.format.provider);
  const empty = compileTools([]);
  return {
    options,
    limits: { ...defaultRetryLimits, ...options.retry },
    compileTools,
    useCompiled: (compiled) => {
      current = compiled;
    },
    conversations: createConversations(options.format.turnEncoder(() => current ?? empty)),
    refused: new Set(),
    said: new Set(),
    heads: new Map(),
  };
}

async function* streamWithRetry(
  state: ClientState,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { host, endpoint } = state.options;
  const { limits } = state;
  let attempt = 1;
  let silent = 0;
  let adaptations = 0;
  while (true) {
    signal.throwIfAborted();
    let begun = false;
    try {
      for await (const event of streamOnce(state, request, signal)) {
        begun ||= event.type !== 'notice';
        yield event;
      }
      return;
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      const error = asModelError(thrown, endpoint);
      const adapted = begun || adaptations === MAX_ADAPTATIONS ? null : adapt(state, error);
      if (adapted !== null) {
        adaptations++;
        yield { type: 'notice', message: adapted };
        continue;
      }
      if (isSilence(thrown)) silent++;
      const delay =
        silent < limits.silentAttempts
          ? retryDelay(error, attempt, { random: () => host.ids.random(), limits })
          : null;
      if (delay === null) throw begun ? interrupted(error) : error;
      attempt++;
      yield retryEvent(error, delay, { begun, count: `try ${attempt} of ${limits.attempts}` });
      await host.clock.sleep(delay, signal);
      await request.beforeRetry?.(signal, { provider: state.options.format.provider, model: endpoint.model });
    }
  }
}

/** An answer is acted upon only when it is whole, so one that broke off can be asked for again: what was shown is taken back. */
function retryEvent(
  error: ModelError,
  delay: number,
  { begun, count }: { begun: boolean; count: string },
): ModelEvent {
  const [sentence] = error.message.split(/(?<=\.)\s/);
  const seconds = Math.max(0.1, Math.round(delay / 100) / 10);
  const retry = { kind: error.kind, inMs: delay };
  return begun
    ? { type: 'restart', message: `${sentence} The answer starts over in ${seconds} s (${count}).`, retry }
    : {
        type: 'notice',
        message: `${sentence} Trying again in ${seconds} s (${count}).`,
        passing: true,
        retry,
      };
}

function isSilence(thrown: unknown): boolean {
  return thrown instanceof HttpError && thrown.kind === 'silent';
}

/** Changes later requests so that the error does not come again; says how, or null when the error stands. */
function adapt(state: ClientState, error: ModelError): string | null {
  if (error.kind === 'bad-request' && error.tool !== undefined && !state.refused.has(error.tool)) {
    state.refused.add(error.tool);
    state.heads.clear();
    const reason = error.message.replace(/\s*Leave it out with.*$/, '');
    return `The tool ${error.tool} is left out from now on: ${reason}`;
  }
  const adaptation = state.options.format.adapt(error);
  if (!adaptation) return null;
  state.heads.clear();
  if (adaptation.reencode) state.conversations.forget();
  return adaptation.notice;
}

async function* streamOnce(
  state: ClientState,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { options } = state;
  const streaming = options.streaming ?? true;
  const compiled = state.compileTools(request.tools);
  state.useCompiled(compiled);
  for (const aside of compiled.setAside) yield* sayOnce(state, describeSetAside(aside));
  const conversation = state.conversations.encode(request.messages);
  const { url, headers } = options.format.target(streaming);
  const response = await options.host.http.request({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: streaming ? 'text/event-stream' : 'application/json',
      'accept-encoding': streaming ? 'identity' : undefined,
      ...headers,
    },
    body: bodyOf(state, { request, compiled, conversation, streaming }),
    signal,
    idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_MS,
  });
  const tools = compiled.tools.filter(({ name }) => !state.refused.has(name));
  if (response.status !== 200) throw await refusal(response, options, tools);
  const context = decoderContext(options, { compiled, tools, conversation });
  const decoder = options.format.createDecoder(context);
  const names = new Set(tools.map(({ wireName }) => wireName));
  const recovery = options.recoverCalls && names.size > 0 ? createCallRecovery(names, context) : null;
  for await (const event of readAnswer(response, decoder, context)) {
    if (!recovery) yield event;
    // Delegating to a list costs several rounds of the event loop for each piece of an answer.
    else for (const each of recovery.push(event)) yield each;
  }
}

function* sayOnce(state: ClientState, message: string): Generator<ModelEvent> {
  if (state.said.has(message)) return;
  state.said.add(message);
  yield { type: 'notice', message };
}

interface BodyInput {
  request: ModelRequest;
  compiled: CompiledTools;
  conversation: EncodedConversation;
  streaming: boolean;
}

const comma = Buffer.from(',');

/** The frame and the kept bytes of the conversation, cache markers put in between. */
function bodyOf(state: ClientState, { request, compiled, conversation, streaming }: BodyInput): Uint8Array[] {
  const { format } = state.options;
  const { head, tail, opened } = frameOf(state, { request, compiled, streaming });
  const { bytes, spans, closing } = conversation;
  const marks = closing.length === 0 ? format.marks?.(spans) : undefined;
  const mark = marks ? Buffer.from(marks.text) : null;
  const pieces: Uint8Array[] = [head];
  let at = opened || bytes.length === 0 ? 0 : 1;
  for (const offset of marks?.offsets ?? []) {
    pieces.push(bytes.subarray(at, offset), mark!);
    at = offset;
  }
  pieces.push(bytes.subarray(at));
  for (const { text } of closing) pieces.push(comma, Buffer.from(text));
  pieces.push(tail);
  return pieces;
}

function frameOf(state: ClientState, { request, compiled, streaming }: Omit<BodyInput, 'conversation'>) {
  const { system, maxOutputTokens, toolChoice } = request;
  const key = `${streaming} ${maxOutputTokens ?? ''} ${toolChoice ?? ''} ${system}`;
  const known = state.heads.get(key);
  if (known && known.compiled === compiled) return known;
  const tools = compiled.tools.filter(({ name }) => !state.refused.has(name));
  const frame = state.options.format.frame({ system, tools, toolChoice, maxOutputTokens, streaming });
  const made = {
    compiled,
    head: Buffer.from(frame.head),
    tail: Buffer.from(frame.tail),
    opened: frame.opened,
  };
  // Two frames at most are in use at a time: the conversation's and a side question's.
  if (state.heads.size >= 4) state.heads.clear();
  state.heads.set(key, made);
  return made;
}

interface Offered {
  compiled: CompiledTools;
  tools: CompiledTools['tools'];
  conversation: EncodedConversation;
}

function decoderContext(
  { endpoint, host }: ClientOptions,
  { compiled, tools, conversation }: Offered,
): DecoderContext {
  const answer: AnswerContext = {
    newCallId: () => `call_${host.ids.next()}`,
    isIdTaken: conversation.isIdTaken,
    restore: compiled.restore,
  };
  const where = `${endpoint.label} (${endpoint.host})`;
  return {
    ...answer,
    fail: (body) => classifyFailure(endpoint, { status: 200, body, tools }),
    garbled: (what, { isEvent = false } = {}) =>
      new ModelError(
        'protocol',
        `${where} sent ${what}. Check that --base-url and --provider belong together.`,
        // A server of another format does not send such a stream at all; one event of it may be damaged on its way.
        { retryable: isEvent },
      ),
    cutShort: () =>
      new ModelError('network', `${where} ended its answer in the middle.`, { retryable: true }),
  };
}

async function refusal(
  response: HttpResponse,
  { endpoint, host }: ClientOptions,
  tools: CompiledTools['tools'],
): Promise<ModelError> {
  const text = await readBounded(response, MAX_ERROR_BYTES);
  const retryAfterMs = parseRetryAfter(response.headers, host.clock.now());
  // Plain text or a web page is classified as it is.
  let body = jsonIn(text) ?? text;
  const { location } = response.headers;
  if (location !== undefined && response.status < 400) body = `It redirects to ${location}`;
  return classifyFailure(endpoint, {
    status: response.status,
    body,
    tools,
    retryAfterMs,
  });
}

function asModelError(thrown: unknown, endpoint: Endpoint): ModelError {
  if (thrown instanceof ModelError) return thrown;
  if (!(thrown instanceof HttpError)) throw thrown;
  const code = (thrown.cause as { code?: unknown } | undefined)?.code;
  const pointless = ['ECONNREFUSED', 'ENOTFOUND', 'ERR_TLS_CERT_ALTNAME_INVALID'].includes(String(code));
  const certificate = /CERT|SIGNATURE|ISSUER/.test(String(code));
  const retryable =
    thrown.kind === 'broken' ||
    thrown.kind === 'silent' ||
    (thrown.kind === 'unreachable' && !pointless && !certificate);
  const advice = isSilence(thrown)
    ? ' It may be overloaded, or need longer to think: model.silenceLimit in the settings sets how many seconds to wait.'
    : '';
  return new ModelError('network', `${endpoint.label}: ${thrown.message}${advice}`, {
    cause: thrown,
    retryable,
  });
}

/** Half an answer was shown, and no try is left. */
function interrupted(error: ModelError): ModelError {
  const { kind, status, retryAfterMs } = error;
  return new ModelError(kind, `The answer broke off in the middle. ${error.message}`, {
    cause: error,
    retryable: error.retryable,
    status,
    retryAfterMs,
  });
}
