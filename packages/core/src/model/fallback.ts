import { type ModelClient, ModelError, type ModelErrorKind, type ModelEvent } from './model.js';

/** Failures that another model may not have: the server is busy, away, or does not know the model. */
const worthAnother: readonly ModelErrorKind[] = ['overload', 'rate-limit', 'network', 'model', 'protocol'];

/** Asks the first model, and the next one where that can't answer; the next request begins with the first again. */
export function withFallback(
  first: ModelClient,
  others: readonly (() => Promise<ModelClient>)[],
): ModelClient {
  if (others.length === 0) return first;
  return {
    ...first,
    async *stream(request, signal) {
      let client = first;
      for (let next = 0; ; next++) {
        let begun = false;
        try {
          for await (const event of client.stream(request, signal)) {
            begun ||= event.type !== 'notice';
            yield event;
          }
          return;
        } catch (error) {
          const open = others[next];
          if (signal.aborted || !open || !(error instanceof ModelError) || !worthAnother.includes(error.kind))
            throw error;
          const failed = client.model;
          client = await open();
          yield changeOver({ failed, error, to: client.model, begun });
        }
      }
    },
  };
}

function changeOver(change: { failed: string; error: ModelError; to: string; begun: boolean }): ModelEvent {
  const { failed, error, to, begun } = change;
  const [sentence] = error.message.split(/(?<=\.)\s/);
  const message = `${failed} can't answer: ${sentence} ${to} is asked instead.`;
  return begun ? { type: 'restart', message } : { type: 'notice', message };
}
