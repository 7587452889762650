/** One HTTP client on node:http(s). */
export interface HttpRequest {
  url: string | URL;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | readonly Uint8Array[];
  signal: AbortSignal;
  /** Longest silence from the server, before the headers and between chunks. */
  idleTimeoutMs?: number;
}

export interface HttpResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  url: string;
  /** Must be read to its end or cancelled with `close`. */
  body: AsyncIterable<Uint8Array>;
  close(): void;
}

export interface Http {
  request(request: HttpRequest): Promise<HttpResponse>;
}
