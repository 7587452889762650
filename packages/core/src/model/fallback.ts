import {
  type ModelClient,
  ModelError,
  type ModelErrorKind,
  type ModelEvent,
  type NamedModel,
  withStream,
} from './model.js';

/** Failures that another model may not have: the server is busy, away, or does not know the model. */
const worthAnother: readonly ModelErrorKind[] = ['overload', 'rate-limit', 'network', 'model', 'protocol'];

/** Asks the first model, and the next one where that can't answer; the next request begins with the first again. */
export function withFallback(
  first: ModelClient,
  others: readonly (() => Promise<ModelClient>)[],
): ModelClient {
  if (others.length === 0) return first;
  return withStream({ ...first, hasOthers: true }, async function* (request, signal) {
    let client = first;
    for (let next = 0; ; next++) {
      let begun = false;
      const hasOther = next < others.length;
      const { beforeRetry: leave } = request;
      const beforeRetry: typeof leave = leave && ((over, asked) => leave(over, { ...asked, hasOther }));
      try {
        await beforeRetry?.(signal, { provider: client.provider, model: client.model });
        for await (const event of client.stream({ ...request, beforeRetry }, signal)) {
          begun ||= event.type !== 'notice';
          yield client === first ? event : namedEvent(event, client);
        }
        return;
      } catch (thrown) {
        const open = others[next];
        if (!(thrown instanceof ModelError)) throw thrown;
        const error = namedError(thrown, client);
        if (signal.aborted || !open || !worthAnother.includes(error.kind)) throw error;
        const failed = client.model;
        client = await open();
        yield changeOver({ failed, error, to: client.model, begun });
      }
    }
  });
}

/** Tokens and pauses are those of the model that is asked, not of the first one. */
function namedEvent(event: ModelEvent, { provider, model }: NamedModel): ModelEvent {
  if (event.type === 'usage') return { ...event, by: { provider, model } };
  const isRetry = event.type === 'notice' || event.type === 'restart';
  return isRetry && event.retry ? { ...event, retry: { ...event.retry, provider } } : event;
}

function namedError(error: ModelError, { provider }: NamedModel): ModelError {
  const { kind, message, cause, status, retryAfterMs, retryable, tool } = error;
  return new ModelError(kind, message, { cause, status, retryAfterMs, retryable, tool, provider });
}

/** One that is left now wants to be left alone all the same. */
function changeOver(change: { failed: string; error: ModelError; to: string; begun: boolean }): ModelEvent {
  const { failed, error, to, begun } = change;
  const { kind, retryAfterMs: inMs, provider } = error;
  const [sentence] = error.message.split(/(?<=\.)\s/);
  const message = `${failed} can't answer: ${sentence} ${to} is asked instead.`;
  const retry = inMs === undefined ? undefined : { kind, inMs, provider };
  return { type: begun ? 'restart' : 'notice', message, retry };
}
