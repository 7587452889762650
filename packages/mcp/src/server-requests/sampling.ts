import type { CreateMessageResultWithTools } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { McpSampleAnswer, McpSampleRequest } from '../contract/connection.js';
import type { SamplingBudget } from '../contract/needs.js';
import { textAt } from '../contract/plain-text.js';
import { invalidRequest } from './invalid-request.js';
import { readSampleMessages } from './sampling-messages.js';
import { type OfferedTools, readOfferedTools } from './sampling-tools.js';

export interface SamplingOptions {
  server: string;
  budget: SamplingBudget;
  /** Servers may offer tools to the model. */
  withTools: boolean;
  onSample(request: McpSampleRequest, signal: AbortSignal): Promise<McpSampleAnswer>;
}

const LONGEST_PROMPT = 1_000_000;

/** The parameters come from a server, unread. */
export type Sampler = (params: JsonObject, signal: AbortSignal) => Promise<CreateMessageResultWithTools>;

/** Answers a server's requests to the model until its budget is used up. A refused request has cost nothing. */
export function createSampler({ server, budget, withTools, onSample }: SamplingOptions): Sampler {
  const purse = createPurse(budget);
  return async (params, signal) => {
    const asked = readRequest(params, withTools);
    const { maxTokens, left, refund } = purse.take(params['maxTokens']);
    try {
      const answer = await onSample({ server, ...asked, maxTokens, left }, signal);
      if (answer === null) throw refusal();
      return resultOf(answer, asked);
    } catch (error) {
      refund();
      throw error;
    }
  };
}

function createPurse(budget: SamplingBudget) {
  let { requests, tokens } = budget;
  return {
    take(wanted: unknown) {
      const maxTokens = Math.min(wantedTokens(wanted), budget.tokensPerRequest, tokens);
      if (requests <= 0 || maxTokens <= 0)
        throw new Error(
          `The sampling budget is used up (${budget.requests} requests, ${budget.tokens} tokens for one connection).`,
        );
      requests--;
      tokens -= maxTokens;
      const refund = (): void => {
        requests++;
        tokens += maxTokens;
      };
      return { maxTokens, left: { requests, tokens }, refund };
    },
  };
}

type AskedOfModel = Omit<McpSampleRequest, 'server' | 'maxTokens' | 'left'>;

function readRequest(params: JsonObject, withTools: boolean): AskedOfModel {
  const messages = readSampleMessages(listAt(params, 'messages'));
  const hasCalls = messages.some(({ parts }) => parts.some((part) => part.functionCall));
  if (!withTools && (hasCalls || params['tools'] !== undefined || params['toolChoice'] !== undefined))
    throw invalidRequest('sampling', 'the model can be offered no tools here');
  return {
    ...readOfferedTools(params),
    messages,
    systemPrompt: textAt(params, 'systemPrompt', LONGEST_PROMPT),
    temperature: typeof params['temperature'] === 'number' ? params['temperature'] : null,
    stopSequences: listAt(params, 'stopSequences').filter((item) => typeof item === 'string'),
  };
}

/** Only calls of tools that were offered go back: a server that offered none does not expect any. */
function resultOf(
  { text, calls = [], model, stopReason }: NonNullable<McpSampleAnswer>,
  { tools, toolChoice }: OfferedTools,
): CreateMessageResultWithTools {
  const offered = new Set(toolChoice === 'none' ? [] : tools.map(({ name }) => name));
  const uses = calls
    .filter(({ name }) => offered.has(name))
    .map(({ id, name, args }) => ({ type: 'tool_use' as const, id, name, input: args }));
  const words = { type: 'text' as const, text };
  return {
    role: 'assistant',
    content: uses.length === 0 ? words : text === '' ? uses : [words, ...uses],
    model,
    stopReason: uses.length === 0 ? (stopReason ?? 'endTurn') : 'toolUse',
  };
}

function listAt(params: JsonObject, key: string): unknown[] {
  const value = params[key];
  return Array.isArray(value) ? value : [];
}

function wantedTokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(1, Math.floor(value)) : 1_000;
}

/** The number that the specification gives to the user's no. */
function refusal(): Error {
  return Object.assign(new Error('The user refused this sampling request.'), { code: -1 });
}
