import type { FunctionDeclaration, Message, Part } from '../base/content.js';

/** A call as the provider delivered it: arguments may be broken JSON, or cut off by a length limit. */
export interface RawCall {
  id: string;
  name: string;
  arguments: string | Record<string, unknown>;
  cutOff?: boolean;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

export type FinishReason = 'stop' | 'calls' | 'length' | 'refusal' | 'filter' | 'other';

/** What a model answer consists of, in order of arrival; `finish` is the last event and comes exactly once. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'thinking-delta'; text: string }
  | { type: 'call'; call: RawCall }
  | { type: 'usage'; usage: Usage }
  | { type: 'notice'; message: string }
  | {
      type: 'finish';
      reason: FinishReason;
      /** The answer as it is kept in the history: text, thoughts with their signatures, calls. */
      parts: Part[];
    };

export interface ModelRequest {
  system: string;
  messages: readonly Message[];
  tools: readonly FunctionDeclaration[];
  maxOutputTokens?: number;
}

export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  /** Ends with `finish`, or throws: `ModelError`, or the abort reason when the signal fired. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export type ModelErrorKind =
  | 'auth'
  | 'model'
  | 'rate-limit'
  | 'overload'
  | 'context-overflow'
  | 'bad-request'
  | 'network'
  | 'protocol';

/** The model could not answer. The message says what happened, where, and what to do next. */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly kind: ModelErrorKind,
    message: string,
    options?: ErrorOptions & { retryAfterMs?: number; status?: number },
  ) {
    super(message, options);
    this.retryAfterMs = options?.retryAfterMs;
    this.status = options?.status;
  }

  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
}
