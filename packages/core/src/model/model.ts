import type { FunctionDeclaration, Message, Part } from '@toolwright/machine/base/content.js';

/** A call as the provider delivered it: its arguments may be broken JSON. */
export interface RawCall {
  id: string;
  name: string;
  arguments: string | Record<string, unknown>;
  /** The answer ended before the server had closed the call. */
  isUnfinished?: boolean | undefined;
  /** The call did not arrive whole and must not run; the agent decides it when the answer has ended. */
  cutOff?: boolean;
}

/** The tokens that a request took. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

/** Why a model stopped. */
export type FinishReason = 'stop' | 'calls' | 'length' | 'refusal' | 'filter' | 'other';

/** A piece of a model's answer, in order of arrival; `finish` is the last event and comes exactly once. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'thinking-delta'; text: string }
  | { type: 'call'; call: RawCall }
  /** `by`: the model that used them, where another one answers in the place of the client's own. */
  | { type: 'usage'; usage: Usage; by?: NamedModel }
  /** `passing`: it is said of a moment, and done with when something else comes. */
  | { type: 'notice'; message: string; passing?: true; retry?: RetriedRequest }
  /** The answer broke off and is asked for again: what came of it so far, calls included, counts no more. */
  | { type: 'restart'; message: string; retry?: RetriedRequest }
  | {
      type: 'finish';
      reason: FinishReason;
      /** The answer as it is kept in the history: text, thoughts with their signatures, calls. */
      parts: Part[];
    };

/** A request to a model. */
export interface ModelRequest {
  system: string;
  /** The conversation. Messages are known by identity: the same objects again, never changed, are encoded once. */
  messages: readonly Message[];
  tools: readonly FunctionDeclaration[];
  /** The model must call a tool, or must not; default: it decides itself. */
  toolChoice?: ToolChoice;
  maxOutputTokens?: number;
  /** What the request is for, where it is not the next answer of the conversation: `summary`, `question`, `sampling`, `agent NAME`. */
  purpose?: string | undefined;
  /** Awaited before the request is made once more, or to another model; by a client with others (`hasOthers`) before each request. */
  beforeRetry?: ((signal: AbortSignal, asked: NamedModel) => Promise<void>) | undefined;
}

/** The model that a request goes to, and the provider whose account it is made with. */
export interface NamedModel {
  provider: string;
  model: string;
  /** Another model is asked instead where this one is not given leave: whoever would have to wait throws a `ModelError`. */
  hasOther?: boolean;
}

export type ToolChoice = 'required' | 'none';

/** Media and sizes that a model takes. Known for the common families, else assumed; every field can be set by option. */
export interface ModelCapabilities {
  images: boolean;
  pdf: boolean;
  audio: boolean;
  /** Tokens of input and output together; absent where it is not known. */
  contextWindow?: number;
  maxOutputTokens?: number;
}

/** Dollars for a million tokens. */
export interface Prices {
  input: number;
  output: number;
  /** Input that the provider had kept from an earlier request. */
  cached?: number | undefined;
  /** The month of which they are, where nobody has told them since. */
  asOf?: string;
}

/** A model that a server offers. */
export interface ListedModel {
  name: string;
  /** The model's name for people. */
  label?: string;
  contextWindow?: number;
  prices?: Prices;
}

/** A model behind one interface, whatever its wire format. */
export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  readonly capabilities?: ModelCapabilities;
  /** It asks another model where the first can't answer, and asks for leave itself: `beforeRetry` of the request. */
  readonly hasOthers?: boolean | undefined;
  /** Ends with `finish`, or throws: `ModelError`, or the abort reason when the signal fired. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** The models of the same server. Throws a `ModelError` when it does not tell. */
  list?(signal: AbortSignal): Promise<ListedModel[]>;
}

/** The same model, whose answers come by way of `stream`. */
export function withStream(client: ModelClient, stream: ModelClient['stream']): ModelClient {
  const { provider, model, capabilities, hasOthers } = client;
  const list = client.list?.bind(client);
  return { provider, model, capabilities, hasOthers, list, stream };
}

/** A request that is tried again, why and when. */
export interface RetriedRequest {
  kind: ModelErrorKind;
  inMs: number;
  /** The provider that wants to be left alone, where it is not that of the client. */
  provider?: string;
}

/** The kind of a model's failure. */
export type ModelErrorKind =
  | 'auth'
  | 'model'
  | 'rate-limit'
  | 'overload'
  | 'context-overflow'
  | 'bad-request'
  | 'network'
  | 'protocol'
  | 'empty';

export interface ModelErrorDetails {
  retryAfterMs?: number;
  status?: number;
  retryable?: boolean;
  tool?: string;
  provider?: string;
}

/** The model could not answer. The message says what happened, where, and what to do next. */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly kind: ModelErrorKind,
    message: string,
    options?: ErrorOptions & ModelErrorDetails,
  ) {
    super(message, options);
    this.retryAfterMs = options?.retryAfterMs;
    this.status = options?.status;
    this.retryable = options?.retryable ?? false;
    this.tool = options?.tool;
    this.provider = options?.provider;
  }

  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** The tool the provider objected to. */
  readonly tool: string | undefined;
  /** The provider that failed, where the client told. */
  readonly provider: string | undefined;
}
