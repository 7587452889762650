import { type Message, type Part, textOf } from '@toolwright/machine/base/content.js';
import type { Ids } from '@toolwright/machine/host/host.js';
import { keyVariables } from '../accounts.js';
import type { ModelClient, ModelEvent, ModelRequest } from '../model.js';
import { interpret, offlineRequests } from './requests.js';

const WHAT_I_AM = [
  'This is the built-in offline model. It is not a language model: it turns a few plain requests into tool calls.',
  `To connect a language model, set ${keyVariables.slice(0, -1).join(', ')} or ${keyVariables.at(-1)}, or start a local server such as Ollama; docs/models.md has the details.`,
].join('\n');

/** Answers with no key and no network, through the same flow as every other model. */
export function createOfflineModel(ids: Ids): ModelClient {
  return {
    provider: 'offline',
    model: 'offline',
    async *stream(request, signal) {
      signal.throwIfAborted();
      yield* answer(request, ids);
    },
  };
}

function* answer(request: ModelRequest, ids: Ids): Generator<ModelEvent> {
  const { prompt, responses } = lastExchange(request.messages);
  const calls = interpret(prompt);
  const tell = (text: string): Generator<ModelEvent> => say(introduced(text, request.messages));
  if (!calls) return yield* tell(helpText(request));

  const failed = responses.some(({ response }) => response?.['error'] !== undefined);
  const next = failed ? undefined : calls[responses.length];
  if (!next) return yield* tell(responses.map(textOfResponse).at(-1) ?? '');
  if (!request.tools.some(({ name }) => name === next.tool)) {
    return yield* tell(`This needs the tool ${next.tool}, which is not available here.`);
  }
  const call = { id: ids.next(), name: next.tool, arguments: next.args };
  yield { type: 'call', call };
  yield usage();
  yield {
    type: 'finish',
    reason: 'calls',
    parts: [{ functionCall: { id: call.id, name: call.name, args: call.arguments } }],
  };
}

/** Adds once in a conversation that no language model is answering. */
function introduced(text: string, earlier: readonly Message[]): string {
  const isKnown = earlier.some(({ role, parts }) => role === 'model' && textOf(parts).includes(WHAT_I_AM));
  return isKnown ? text : `${text}\n\n${WHAT_I_AM}`;
}

function* say(text: string): Generator<ModelEvent> {
  yield { type: 'text-delta', text };
  yield usage();
  yield { type: 'finish', reason: 'stop', parts: [{ text }] };
}

function usage(): ModelEvent {
  return { type: 'usage', usage: { inputTokens: 0, outputTokens: 0 } };
}

/** The user's latest prompt, and the responses of the tools since then. */
function lastExchange(messages: readonly Message[]) {
  const isPrompt = ({ role, parts }: Message): boolean =>
    role === 'user' &&
    parts.some((part) => part.text !== undefined) &&
    !parts.some((part) => part.functionResponse);
  const start = messages.findLastIndex(isPrompt);
  const prompt = start === -1 ? '' : textOf(messages[start]!.parts);
  const responses = messages
    .slice(start + 1)
    .flatMap(({ parts }) => parts.flatMap((part: Part) => part.functionResponse ?? []));
  return { prompt, responses };
}

function textOfResponse({
  response,
  parts,
}: {
  response?: Record<string, unknown>;
  parts?: unknown[];
}): string {
  const text = String(response?.['error'] ?? response?.['output'] ?? '');
  return parts?.length
    ? `${text}\n[${parts.length} attachment(s) that the offline model can't show]`.trim()
    : text;
}

function helpText({ tools }: ModelRequest): string {
  const available = new Set(tools.map(({ name }) => name));
  const examples = offlineRequests
    .filter(({ example, pattern, namesTool, calls }) => {
      const match = namesTool ? null : pattern.exec(example);
      return !match || calls(match).every(({ tool }) => available.has(tool));
    })
    .map(({ example }) => `  ${example}`);
  return `I did not understand that. I understand these plain requests:\n\n${examples.join('\n')}`;
}
