import { type Connection, connect, hostOf, wireSettings, withPath } from '../connection.js';
import type { ModelClient } from '../model.js';
import type { WireFormat } from '../wire/wire-format.js';
import { createOpenAiDecoder } from './decode.js';
import { openAiFrame, openAiTurnEncoder } from './encode.js';
import { learnFromRefusal, type OpenAiSettings, openAiDefaults } from './settings.js';

/** Connects to any host that speaks Chat Completions. */
export function connectOpenAi(connection: Connection): ModelClient {
  const { model, baseUrl, apiKey } = connection;
  const host = hostOf(baseUrl);
  const settings = {
    ...wireSettings('openai', connection, keyHeader(host, apiKey)),
    ...openAiDefaults(host, model),
  };
  return connect(withRecovery(connection, host), openAiFormat(settings));
}

/** Calls that a model writes as text are read as calls, but on hosts whose models know the structured form: they only quote one. */
export function withRecovery(connection: Connection, host: string): Connection {
  const { recoverCalls = !/(^|\.)(openai\.com|azure\.com)$/.test(host) } = connection;
  return { ...connection, recoverCalls };
}

export function keyHeader(host: string, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined || apiKey === '') return {};
  return host.endsWith('.azure.com') ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

function openAiFormat(settings: OpenAiSettings): WireFormat {
  return {
    provider: 'openai',
    capabilities: settings.capabilities,
    turnEncoder: (compiled) => openAiTurnEncoder(settings, compiled),
    frame: (parts) => openAiFrame(settings, parts),
    target: () => ({ url: withPath(settings.baseUrl, '/chat/completions'), headers: settings.headers }),
    listing: () => ({ url: withPath(settings.baseUrl, '/models'), headers: settings.headers }),
    createDecoder: (context) => createOpenAiDecoder(context, settings),
    adapt: (error) => learnFromRefusal(settings, error),
  };
}
