import {
  type Connection,
  connect,
  hostOf,
  type WireSettings,
  wireSettings,
  withPath,
} from '../connection.js';
import type { ModelClient } from '../model.js';
import { keyHeader, withRecovery } from '../openai/client.js';
import type { WireFormat } from '../wire/wire-format.js';
import { createResponsesDecoder } from './decode.js';
import { responsesFrame, responsesTurnEncoder } from './encode.js';
import { learnFromRefusal, type ResponsesSettings } from './settings.js';

/** OpenAI, or a host that speaks its Responses format. Nothing is stored there: each request carries the conversation. */
export function connectOpenAiResponses(connection: Connection): ModelClient {
  const host = hostOf(connection.baseUrl);
  const base: WireSettings = wireSettings('openai', connection, keyHeader(host, connection.apiKey));
  return connect(withRecovery(connection, host), responsesFormat({ ...base, thoughts: true }));
}

function responsesFormat(settings: ResponsesSettings): WireFormat {
  return {
    provider: 'openai',
    capabilities: settings.capabilities,
    turnEncoder: (compiled) => responsesTurnEncoder(settings, compiled),
    frame: (parts) => responsesFrame(settings, parts),
    target: () => ({ url: withPath(settings.baseUrl, '/responses'), headers: settings.headers }),
    listing: () => ({ url: withPath(settings.baseUrl, '/models'), headers: settings.headers }),
    createDecoder: createResponsesDecoder,
    adapt: (error) => learnFromRefusal(settings, error),
  };
}
