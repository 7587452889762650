import { type Connection, connect, wireSettings, withPath } from '../connection.js';
import type { ModelClient } from '../model.js';
import type { WireFormat } from '../wire/wire-format.js';
import { createGeminiDecoder } from './decode.js';
import { geminiFrame, geminiTurnEncoder } from './encode.js';
import { type GeminiSettings, geminiDefaults, learnFromRefusal } from './settings.js';

/** Google's Gemini, or a host that speaks its generateContent format. */
export function connectGemini(connection: Connection): ModelClient {
  const { model, apiKey } = connection;
  const headers: Record<string, string> = apiKey ? { 'x-goog-api-key': apiKey } : {};
  const settings = { ...wireSettings('gemini', connection, headers), ...geminiDefaults(model) };
  return connect(connection, geminiFormat(settings));
}

function geminiFormat(settings: GeminiSettings): WireFormat {
  const versioned = /\/v1(beta\d*|alpha)?\/*$/.test(new URL(settings.baseUrl).pathname);
  const model = encodeURIComponent(settings.model.replace(/^models\//, ''));
  const path = `${versioned ? '' : '/v1beta'}/models/${model}`;
  return {
    provider: 'gemini',
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
    listing() {
      const url = new URL(withPath(settings.baseUrl, `${versioned ? '' : '/v1beta'}/models`));
      url.searchParams.set('pageSize', '200');
      return { url: url.href, headers: settings.headers };
    },
    createDecoder: createGeminiDecoder,
    adapt: (error) => learnFromRefusal(settings, error),
  };
}
