import { type FunctionResponse, type Message, type Part, textOf } from '@toolwright/machine/base/content.js';
import { cutDeep, isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { toParts } from '../content/to-parts.js';
import { quoteServer } from '../contract/failure.js';
import { isUsableName } from '../contract/plain-text.js';
import { LONGEST_NAME } from '../lists/tool-definitions.js';
import { invalidRequest } from './invalid-request.js';

const MOST_ROUNDS = 10;

/**
 * The conversation of a sampling request. Calls of the model and the results that the server made of them belong
 * together; a conversation in which they do not is refused, because no model takes it.
 */
export function readSampleMessages(entries: readonly unknown[]): Message[] {
  const reader = new ConversationReader();
  const messages = entries.filter(isJsonObject).map((entry) => reader.read(entry));
  reader.end();
  return messages;
}

class ConversationReader {
  /** Calls of the last message, which the next one must answer: names by id. */
  #open = new Map<string, string>();
  readonly #ids = new Set<string>();
  #rounds = 0;

  read(entry: JsonObject): Message {
    const role = entry['role'] === 'assistant' ? 'model' : 'user';
    const { content } = entry;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : [content].flat();
    const isAnswer = this.#open.size > 0 || blocks.some((block) => isOfType(block, 'tool_result'));
    return { role, parts: isAnswer ? this.#readResults(role, blocks) : this.#readWords(role, blocks) };
  }

  end(): void {
    for (const name of this.#open.values())
      throw invalid(`the call of "${quoteServer(name, 60)}" has no result`);
  }

  #readWords(role: Message['role'], blocks: readonly unknown[]): Part[] {
    const parts = blocks.flatMap((block) =>
      isOfType(block, 'tool_use') ? [this.#readCall(role, block)] : toParts([block]).parts,
    );
    if (this.#open.size > 0 && ++this.#rounds > MOST_ROUNDS)
      throw invalid(`it has more than ${MOST_ROUNDS} rounds of calls`);
    return parts;
  }

  #readCall(role: Message['role'], { id, name, input }: JsonObject): Part {
    if (role !== 'model') throw invalid('a call is in a message of the user');
    if (!isUsableName(id, LONGEST_NAME) || !isUsableName(name, LONGEST_NAME))
      throw invalid('a call has no usable id or name');
    if (this.#ids.has(id)) throw invalid(`two calls have the id "${quoteServer(id, 60)}"`);
    this.#ids.add(id);
    this.#open.set(id, name);
    return { functionCall: { id, name, args: isJsonObject(input) ? cutDeep(input) : {} } };
  }

  #readResults(role: Message['role'], blocks: readonly unknown[]): Part[] {
    const results = blocks.filter((block) => isOfType(block, 'tool_result'));
    if (role !== 'user' && results.length > 0) throw invalid('a result is in a message of the model');
    if (results.length > 0 && results.length < blocks.length)
      throw invalid('results of calls are mixed with other content');
    const parts = results.map((result) => this.#readResult(result));
    this.end();
    return parts;
  }

  #readResult(result: JsonObject): Part {
    const id = String(result['toolUseId']);
    const name = this.#open.get(id);
    if (name === undefined) throw invalid(`the result "${quoteServer(id, 60)}" belongs to no call before it`);
    this.#open.delete(id);
    return { functionResponse: { id, name, ...readContent(result) } };
  }
}

function readContent({ content, structuredContent, isError }: JsonObject): FunctionResponse {
  const { parts } = toParts(Array.isArray(content) ? content : []);
  const said = textOf(parts, '\n');
  const text = said === '' && isJsonObject(structuredContent) ? JSON.stringify(structuredContent) : said;
  const media = parts.flatMap(({ inlineData }) => (inlineData ? [{ inlineData }] : []));
  return {
    response: isError === true ? { error: text } : { output: text },
    parts: media.length > 0 ? media : undefined,
  };
}

function isOfType(block: unknown, type: 'tool_use' | 'tool_result'): block is JsonObject {
  return isJsonObject(block) && block['type'] === type;
}

function invalid(what: string): Error {
  return invalidRequest('sampling', what);
}
