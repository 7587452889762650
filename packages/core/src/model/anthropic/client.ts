import { capabilitiesOf } from '../capabilities.js';
import { createClient } from '../client.js';
import { type Connection, endpointOf, hostOf, withPath } from '../connection.js';
import type { ModelClient } from '../model.js';
import type { WireFormat } from '../wire/wire-format.js';
import { createAnthropicDecoder } from './decode.js';
import { anthropicFrame, anthropicMarks, anthropicTurnEncoder } from './encode.js';
import { type AnthropicSettings, learnFromRefusal } from './settings.js';

/** Anthropic, or a host that speaks its Messages format. */
export function connectAnthropic(connection: Connection): ModelClient {
  const { model, baseUrl, apiKey } = connection;
  const host = hostOf(baseUrl);
  const settings: AnthropicSettings = {
    model,
    baseUrl,
    headers: { 'anthropic-version': '2023-06-01', ...keyHeaders(host, apiKey), ...connection.headers },
    capabilities: capabilitiesOf({ provider: 'anthropic', model, host, overrides: connection.capabilities }),
    cacheMarkers: true,
    extraBody: connection.extraBody ?? {},
  };
  return createClient({
    ...connection,
    format: anthropicFormat(settings),
    endpoint: endpointOf(connection),
  });
}

/** Other hosts of this format differ in where they look for the key. */
function keyHeaders(host: string, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined || apiKey === '') return {};
  const official = /(^|\.)anthropic\.com$/.test(host);
  return { 'x-api-key': apiKey, ...(official ? {} : { authorization: `Bearer ${apiKey}` }) };
}

function anthropicFormat(settings: AnthropicSettings): WireFormat {
  const path = /\/v1\/*$/.test(new URL(settings.baseUrl).pathname) ? '/messages' : '/v1/messages';
  return {
    provider: 'anthropic',
    dialect: 'anthropic',
    capabilities: settings.capabilities,
    turnEncoder: (compiled) => anthropicTurnEncoder(settings, compiled),
    frame: (parts) => anthropicFrame(settings, parts),
    marks: (spans) => anthropicMarks(settings, spans),
    target: () => ({ url: withPath(settings.baseUrl, path), headers: settings.headers }),
    createDecoder: createAnthropicDecoder,
    adapt: (error) => learnFromRefusal(settings, error),
  };
}
