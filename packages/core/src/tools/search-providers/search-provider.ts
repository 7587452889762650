import { ToolError, type ToolErrorCode } from '@toolwright/machine/base/errors.js';

export type SearchProviderName = 'tavily' | 'brave' | 'google' | 'searxng' | 'dashscope' | 'gemini';

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
  /** The date as the service writes it; empty when it gives none. */
  date: string;
}

export interface SearchAnswer {
  hits: SearchHit[];
  /** A text the service wrote from the sources, citing them as [1], [2]; empty when it writes none. */
  summary: string;
}

export interface SearchRequest {
  query: string;
  /** Hits wanted; the service may give fewer. */
  count: number;
  signal: AbortSignal;
}

/** Somebody who searches the web. Throws `SearchError`. */
export interface SearchProvider {
  readonly name: SearchProviderName;
  /** The service's name for people. */
  readonly label: string;
  /** Address that requests go to. */
  readonly endpoint: string;
  search(request: SearchRequest): Promise<SearchAnswer>;
}

/**
 * `key`: refused, absent or without the right. `quota`: used up until it is renewed or paid for. `rate`: too
 * many at once, later is fine. `setup`: the service is not configured for us. `unreachable`: no or no whole
 * answer. `answer`: one that can't be understood.
 */
export type SearchFailure = 'key' | 'quota' | 'rate' | 'setup' | 'unreachable' | 'answer';

const codes: Record<SearchFailure, ToolErrorCode> = {
  key: 'denied',
  quota: 'failed',
  rate: 'failed',
  setup: 'denied',
  unreachable: 'failed',
  answer: 'failed',
};

export class SearchError extends ToolError {
  constructor(
    readonly reason: SearchFailure,
    message: string,
  ) {
    super(codes[reason], message);
  }
}
