import { type ModelClient, ModelError, type ModelEvent } from '../model/model.js';
import { conversationName } from './conversation-name.js';
import type { RecordedAnswer, Recording } from './recording.js';

/** A model that answers as it did then: each conversation gets its answers in their order. */
export function recordedModel({ head, answers }: Pick<Recording, 'head' | 'answers'>): ModelClient {
  const left = [...answers];
  const take = (conversation: string): RecordedAnswer | undefined => {
    const own = left.findIndex((answer) => answer.conversation === conversation);
    return left.splice(own === -1 ? 0 : own, 1)[0];
  };
  return {
    provider: head.provider,
    model: head.model,
    async *stream({ messages }, signal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted();
      const answer = take(conversationName(messages));
      if (!answer)
        throw new ModelError(
          'protocol',
          'The recording has no more answers: the session has taken another course.',
        );
      yield* answer.events;
      if (!answer.failure) return;
      const { kind, message } = answer.failure;
      throw new ModelError(kind === 'cancelled' || kind === 'other' ? 'protocol' : kind, message);
    },
  };
}
