import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { lowerFirst, quoteServer } from '../contract/failure.js';
import type { Answers } from '../server-requests/answers.js';

const MOST_ROUNDS = 10;
const MOST_QUESTIONS = 10;

export type SendAgain = (more: JsonObject) => Promise<JsonObject>;

/** Sends a request until its result wants no more input; the server's state goes back as it came. */
export async function withInput(
  answers: Pick<Answers, 'answer'>,
  send: SendAgain,
  signal: AbortSignal,
): Promise<JsonObject> {
  let result = await send({});
  for (let round = 1; result['resultType'] === 'input_required'; round++) {
    if (round > MOST_ROUNDS)
      throw new Error(`it asked for more input ${MOST_ROUNDS} times and never came to an end`);
    const { inputRequests, requestState } = result;
    const hasState = typeof requestState === 'string';
    if (inputRequests === undefined && !hasState) throw new Error('it wants input but does not say which');
    const more: JsonObject = hasState ? { requestState } : {};
    if (inputRequests !== undefined)
      more['inputResponses'] = await answerEach(answers, inputRequests, signal);
    result = await send(more);
  }
  return result;
}

/** The answers to several questions, one after the other: they are put to one user. */
export async function answerEach(
  answers: Pick<Answers, 'answer'>,
  questions: unknown,
  signal: AbortSignal,
): Promise<JsonObject> {
  const entries = Object.entries(isJsonObject(questions) ? questions : {});
  if (entries.length > MOST_QUESTIONS)
    throw new Error(`it asks ${entries.length} questions at once, more than ${MOST_QUESTIONS}`);
  const given: JsonObject = {};
  for (const [key, question] of entries) {
    const method = isJsonObject(question) ? question['method'] : undefined;
    if (!isJsonObject(question) || typeof method !== 'string')
      throw new Error(`its question "${quoteServer(key, 60)}" is not a request`);
    const params = isJsonObject(question['params']) ? question['params'] : {};
    given[key] = await answers.answer(method, params, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      // A new error without the code of ours, which would read like an answer of the server.
      throw new Error(lowerFirst(messageOf(error).replace(/\.$/, '')), { cause: error });
    });
  }
  return given;
}
