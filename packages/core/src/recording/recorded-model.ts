import { type ModelClient, ModelError, type ModelEvent } from '../model/model.js';
import { conversationName } from './conversation-name.js';
import type { RecordedAnswer, Recording } from './recording.js';

/** The conversation is never summarised on the way: the answers are there, however long it gets. */
const capabilities = { images: true, pdf: true, audio: true, contextWindow: Number.MAX_SAFE_INTEGER };

/** A model that answers as it did then: each conversation gets its answers in their order. */
export function recordedModel(
  recording: Pick<Recording, 'head' | 'requests' | 'answers' | 'entries'>,
): ModelClient {
  const { provider, model } = recording.head;
  const take = takingAnswers(recording);
  return {
    provider,
    model,
    capabilities,
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

/**
 * Gives the next answer of a conversation. The main one may have another name now, since its first words hold the name of the
 * folder, and had another one then each time it was summarised.
 */
function takingAnswers({ requests, answers, entries }: Pick<Recording, 'requests' | 'answers' | 'entries'>) {
  const left = [...answers];
  const withTools = requests.filter(({ tools }) => tools.length > 0).map(({ conversation }) => conversation);
  const summarised = entries.flatMap((entry) =>
    entry.type === 'history' ? [conversationName(entry.messages)] : [],
  );
  const main = new Set([...withTools.slice(0, 1), ...summarised]);
  const isSideQuestion = ({ conversation }: RecordedAnswer): boolean =>
    requests.length > 0 && !withTools.includes(conversation);
  return (name: string): RecordedAnswer | undefined => {
    const found = [
      left.findIndex(({ conversation }) => conversation === name),
      left.findIndex(({ conversation }) => main.has(conversation)),
      left.findIndex((answer) => !isSideQuestion(answer)),
    ].find((index) => index !== -1);
    return found === undefined ? undefined : left.splice(found, 1)[0];
  };
}
