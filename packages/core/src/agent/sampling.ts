import { plural } from '@toolwright/machine/base/amounts.js';
import { answerTextOf, type Part } from '@toolwright/machine/base/content.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type {
  McpSampleAnswer,
  McpSampleCall,
  McpSampleRequest,
} from '@toolwright/mcp/contract/connection.js';
import type { FinishReason, ModelClient, ModelRequest } from '../model/model.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import { mcpToolName } from '../tools/mcp/mcp-tool.js';

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
      `The MCP server "${foreignText(request.server)}" asked for an answer from the model; that was declined${why}.`,
    );
    return null;
  }
  const names = namesFor(request);
  let answer: McpSampleAnswer = null;
  for await (const event of model.stream(modelRequestOf(request, names), signal)) {
    if (event.type !== 'finish') continue;
    answer = {
      text: answerTextOf(event.parts),
      // Calls of an answer that broke off did not arrive whole.
      calls: event.reason === 'calls' ? event.parts.flatMap((part) => callsIn(part, names)) : [],
      model: model.model,
      stopReason: stopReasons[event.reason] ?? 'endTurn',
    };
  }
  return answer;
}

/** Names of the server's tools for the model, and back: a tool that is called like one of ours must not be taken for it. */
interface SampledNames {
  toModel(name: string): string;
  fromModel(name: string): string;
}

function namesFor({ server, tools }: McpSampleRequest): SampledNames {
  const toModel = (name: string): string => mcpToolName(server, name);
  const own = new Map(tools.map(({ name }) => [toModel(name), name]));
  return { toModel, fromModel: (name) => own.get(name) ?? name };
}

function modelRequestOf(request: McpSampleRequest, { toModel }: SampledNames): ModelRequest {
  const { systemPrompt: system, maxTokens: maxOutputTokens, tools, toolChoice } = request;
  return {
    system,
    messages: request.messages.map(({ role, parts }) => ({
      role,
      parts: parts.map((part) => renamed(part, toModel)),
    })),
    tools: tools.map(({ name, description, inputSchema }) => ({
      name: toModel(name),
      description,
      parametersJsonSchema: inputSchema,
    })),
    toolChoice: toolChoice === 'auto' ? undefined : toolChoice,
    maxOutputTokens,
    purpose: 'sampling',
  };
}

function renamed(part: Part, toModel: SampledNames['toModel']): Part {
  const { functionCall: call, functionResponse: response } = part;
  if (call) return { functionCall: { ...call, name: toModel(call.name ?? '') } };
  if (response) return { functionResponse: { ...response, name: toModel(response.name ?? '') } };
  return part;
}

function callsIn({ functionCall }: Part, { fromModel }: SampledNames): McpSampleCall[] {
  if (!functionCall) return [];
  const { id = '', name = '', args = {} } = functionCall;
  return [{ id, name: fromModel(name), args }];
}

function questionOf(request: McpSampleRequest): ConfirmRequest {
  const { server, maxTokens, left, tools } = request;
  const description = `Let the MCP server ${foreignText(server)} ask the model`;
  const offering =
    tools.length === 0 ? '' : ` and offers the model ${plural(tools.length, 'tool')} of its own`;
  const whole = conversationText(request);
  const more = whole.length - SHOWN_CHARACTERS;
  const prompt = more > 0 ? `${whole.slice(0, SHOWN_CHARACTERS)}\n… ${more} more characters` : whole;
  const reason = `the server asks for up to ${maxTokens} tokens${offering}; after that it may ask for ${left.tokens} more, in ${left.requests} requests`;
  return {
    callId: '',
    tool: 'sampling',
    description,
    details: { kind: 'info', title: description, prompt, urls: [], effects: [] },
    reason,
    brief: reason,
    offers: [],
    modifiable: false,
  };
}

/** Everything that the model is going to read, tools first: they are the part that is new to the user. */
function conversationText({ systemPrompt, tools, messages }: McpSampleRequest): string {
  return [
    ...tools.map(({ name, description }) => `tool ${name}: ${description}`),
    ...(systemPrompt === '' ? [] : [`system: ${systemPrompt}`]),
    ...messages.map(({ role, parts }) => `${role}: ${parts.map(partText).join('')}`),
  ].join('\n');
}

function partText({ text, functionCall, functionResponse }: Part): string {
  if (functionCall) return `[calls ${functionCall.name} with ${JSON.stringify(functionCall.args)}]`;
  if (functionResponse) return `[${functionResponse.name} gave ${JSON.stringify(functionResponse.response)}]`;
  return text ?? '[media]';
}
