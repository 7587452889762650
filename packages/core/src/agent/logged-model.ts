import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Log } from '@toolwright/machine/host/host.js';
import type { ModelClient, ModelEvent, ModelRequest } from '../model/model.js';

/** The same model; what it is asked and how it answers goes into the debug log. */
export function logRequests(model: ModelClient, log: Pick<Log, 'debug'>): ModelClient {
  const { provider, model: name, capabilities } = model;
  return {
    provider,
    model: name,
    capabilities,
    stream: (request, signal) => logged(model, request, { log, signal }),
  };
}

async function* logged(
  model: ModelClient,
  request: ModelRequest,
  { log, signal }: { log: Pick<Log, 'debug'>; signal: AbortSignal },
): AsyncGenerator<ModelEvent> {
  const { system, messages, tools } = request;
  log.debug('model-request', {
    provider: model.provider,
    model: model.model,
    system,
    messages: messages.length,
    // The earlier ones were in the requests before.
    latest: messages.at(-1),
    tools: tools.map((tool) => tool.name),
  });
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type !== 'text-delta' && event.type !== 'thinking-delta')
        log.debug(`model-${event.type}`, event);
      yield event;
    }
  } catch (error) {
    log.debug('model-failure', signal.aborted ? 'cancelled' : messageOf(error));
    throw error;
  }
}
