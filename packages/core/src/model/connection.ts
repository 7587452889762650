import type { ClientOptions } from './client.js';
import type { Endpoint } from './failure.js';
import type { ModelCapabilities } from './model.js';

/** Address of a model and how to speak to it; the same for every wire format. */
export interface Connection extends Omit<ClientOptions, 'format' | 'endpoint'> {
  model: string;
  baseUrl: string;
  /** Name of the server: "OpenAI", "Ollama" … */
  label: string;
  apiKey?: string;
  /** Named in messages about the key. */
  keyVariable: string;
  /** Sent with every request, over our own. */
  headers?: Record<string, string>;
  /** Further fields of the request's body, for what one host has and others have not. */
  extraBody?: Record<string, unknown>;
  capabilities?: Partial<ModelCapabilities>;
}

/** Adds a path to a base address, before its query. */
export function withPath(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url.href;
}

/** The connection as messages about a failure name it. */
export function endpointOf({ label, baseUrl, model, keyVariable, apiKey }: Connection): Endpoint {
  const endpoint = { label, host: new URL(baseUrl).host, model, keyVariable };
  return apiKey === undefined ? endpoint : { ...endpoint, key: apiKey };
}

export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}
