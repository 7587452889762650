import { textOf } from '@toolwright/machine/base/content.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { McpSampleAnswer, McpSampleRequest } from '@toolwright/mcp/contract/connection.js';
import type { FinishReason, ModelClient } from '../model/model.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';

export interface SamplingNeeds {
  model: ModelClient;
  confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome>;
  /** Shows a message to the user. */
  say(message: string): void;
}

const SHOWN_CHARACTERS = 4_000;
const stopReasons: Partial<Record<FinishReason, string>> = { stop: 'endTurn', length: 'maxTokens' };

/** Answers a server's question to the model, if the user has seen it and says yes. */
export async function answerSample(
  request: McpSampleRequest,
  { model, confirm, say }: SamplingNeeds,
  signal: AbortSignal,
): Promise<McpSampleAnswer> {
  const outcome = await confirm(questionOf(request), signal);
  if (outcome.kind !== 'once') {
    const why = outcome.kind === 'cancel' && outcome.nobodyToAsk ? ': nobody could be asked' : '';
    say(
      `The MCP server "${foreignText(request.server)}" asked for an answer of the model; that was declined${why}.`,
    );
    return null;
  }
  const { messages, systemPrompt: system, maxTokens: maxOutputTokens } = request;
  let answer: McpSampleAnswer = null;
  for await (const event of model.stream({ system, messages, tools: [], maxOutputTokens }, signal)) {
    if (event.type !== 'finish') continue;
    const text = textOf(event.parts.filter((part) => !part.thought));
    answer = { text, model: model.model, stopReason: stopReasons[event.reason] ?? 'endTurn' };
  }
  return answer;
}

function questionOf({ server, messages, systemPrompt, maxTokens, left }: McpSampleRequest): ConfirmRequest {
  const description = `Let the MCP server ${foreignText(server)} ask the model`;
  const said = messages.map(
    ({ role, parts }) => `${role}: ${parts.map((part) => part.text ?? '[media]').join('')}`,
  );
  const whole = [...(systemPrompt === '' ? [] : [`system: ${systemPrompt}`]), ...said].join('\n');
  const more = whole.length - SHOWN_CHARACTERS;
  const prompt = more > 0 ? `${whole.slice(0, SHOWN_CHARACTERS)}\n… ${more} more characters` : whole;
  return {
    callId: '',
    tool: 'sampling',
    description,
    details: { kind: 'info', title: description, prompt, urls: [], effects: [] },
    reason: `the server asks for up to ${maxTokens} tokens; after that it may ask for ${left.tokens} more, in ${left.requests} requests`,
    offers: [],
    modifiable: false,
  };
}
