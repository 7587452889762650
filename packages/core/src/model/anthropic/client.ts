import { type Connection, connect, hostOf, wireSettings, withPath } from '../connection.js';
import type { ModelClient } from '../model.js';
import type { WireFormat } from '../wire/wire-format.js';
import { createAnthropicDecoder } from './decode.js';
import { anthropicFrame, anthropicMarks, anthropicTurnEncoder } from './encode.js';
import { type AnthropicSettings, learnFromRefusal } from './settings.js';

/** Anthropic, or a host that speaks its Messages format. */
export function connectAnthropic(connection: Connection): ModelClient {
  const headers = { 'anthropic-version': '2023-06-01', ...keyHeaders(connection) };
  const settings = { ...wireSettings('anthropic', connection, headers), cacheMarkers: true };
  return connect(connection, anthropicFormat(settings));
}

/** Other hosts of this format differ in where they look for the key. */
function keyHeaders({ baseUrl, apiKey }: Connection): Record<string, string> {
  if (apiKey === undefined || apiKey === '') return {};
  const official = /(^|\.)anthropic\.com$/.test(hostOf(baseUrl));
  return official ? { 'x-api-key': apiKey } : { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` };
}

function anthropicFormat(settings: AnthropicSettings): WireFormat {
  const path = /\/v1\/*$/.test(new URL(settings.baseUrl).pathname) ? '/messages' : '/v1/messages';
  return {
    provider: 'anthropic',
    capabilities: settings.capabilities,
    turnEncoder: (compiled) => anthropicTurnEncoder(settings, compiled),
    frame: (parts) => anthropicFrame(settings, parts),
    marks: (spans) => anthropicMarks(settings, spans),
    target: () => ({ url: withPath(settings.baseUrl, path), headers: settings.headers }),
    listing() {
      const url = new URL(withPath(settings.baseUrl, path.replace('/messages', '/models')));
      url.searchParams.set('limit', '200');
      return { url: url.href, headers: settings.headers };
    },
    createDecoder: createAnthropicDecoder,
    adapt: (error) => learnFromRefusal(settings, error),
  };
}
