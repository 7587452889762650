import { capabilitiesOf } from '../capabilities.js';
import { createClient } from '../client.js';
import { type Connection, endpointOf, hostOf, withPath } from '../connection.js';
import type { ModelClient } from '../model.js';
import type { WireFormat } from '../wire/wire-format.js';
import { createGeminiDecoder } from './decode.js';
import { geminiFrame, geminiTurnEncoder } from './encode.js';
import { type GeminiSettings, geminiDefaults, learnFromRefusal } from './settings.js';

/** Google's Gemini, or a host that speaks its generateContent format. */
export function connectGemini(connection: Connection): ModelClient {
  const { model, baseUrl, apiKey } = connection;
  const host = hostOf(baseUrl);
  const settings: GeminiSettings = {
    model,
    baseUrl,
    headers: { ...(apiKey ? { 'x-goog-api-key': apiKey } : {}), ...connection.headers },
    capabilities: capabilitiesOf({ provider: 'gemini', model, host, overrides: connection.capabilities }),
    ...geminiDefaults(model),
    extraBody: connection.extraBody ?? {},
  };
  return createClient({
    ...connection,
    format: geminiFormat(settings),
    endpoint: endpointOf(connection),
  });
}

function geminiFormat(settings: GeminiSettings): WireFormat {
  const versioned = /\/v1(beta\d*|alpha)?\/*$/.test(new URL(settings.baseUrl).pathname);
  const model = encodeURIComponent(settings.model.replace(/^models\//, ''));
  const path = `${versioned ? '' : '/v1beta'}/models/${model}`;
  return {
    provider: 'gemini',
    dialect: 'gemini',
    capabilities: settings.capabilities,
    turnEncoder: (compiled) => geminiTurnEncoder(settings, compiled),
    frame: (parts) => geminiFrame(settings, parts),
    target: (streaming) => {
      const url = new URL(
        withPath(settings.baseUrl, `${path}:${streaming ? 'streamGenerateContent' : 'generateContent'}`),
      );
      if (streaming) url.searchParams.set('alt', 'sse');
      return { url: url.href, headers: settings.headers };
    },
    createDecoder: createGeminiDecoder,
    adapt: (error) => learnFromRefusal(settings, error),
  };
}
