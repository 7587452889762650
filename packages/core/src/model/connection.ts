import { capabilitiesOf } from './capabilities.js';
import { type ClientOptions, createClient } from './client.js';
import type { ModelCapabilities, ModelClient } from './model.js';
import type { Tuning } from './tuning.js';
import type { WireFormat } from './wire/wire-format.js';

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
  tuning?: Tuning | undefined;
}

/** Adds a path to a base address, before its query. */
export function withPath(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url.href;
}

/** The settings that all wire formats share. */
export interface WireSettings {
  model: string;
  baseUrl: string;
  headers: Record<string, string>;
  capabilities: ModelCapabilities;
  extraBody: Record<string, unknown>;
  /** The tuning, less what the server has refused. */
  tuning: Tuning;
}

/** The settings that a connection gives; `headers` are those of the format, the key among them. */
export function wireSettings(
  provider: WireFormat['provider'],
  { model, baseUrl, capabilities: overrides, extraBody = {}, tuning = {}, ...connection }: Connection,
  headers: Record<string, string>,
): WireSettings {
  const host = hostOf(baseUrl);
  return {
    model,
    baseUrl,
    headers: { ...headers, ...connection.headers },
    capabilities: capabilitiesOf({ provider, model, host, overrides }),
    extraBody,
    tuning: { ...tuning },
  };
}

export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

export function connect(connection: Connection, format: WireFormat): ModelClient {
  const { label, baseUrl, model, keyVariable, apiKey } = connection;
  const endpoint = { label, host: new URL(baseUrl).host, model, keyVariable, key: apiKey };
  return createClient({ ...connection, format, endpoint });
}
