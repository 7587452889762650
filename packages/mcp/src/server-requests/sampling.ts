import type { CreateMessageResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { readMessages } from '../content/prompt-messages.js';
import type { McpSampleAnswer, McpSampleRequest } from '../contract/connection.js';
import type { SamplingBudget } from '../contract/needs.js';
import { textAt } from '../contract/plain-text.js';

export interface SamplingOptions {
  server: string;
  budget: SamplingBudget;
  onSample(request: McpSampleRequest, signal: AbortSignal): Promise<McpSampleAnswer>;
}

const LONGEST_PROMPT = 1_000_000;

/** The parameters come from a server, unread. */
export type Sampler = (params: JsonObject, signal: AbortSignal) => Promise<CreateMessageResult>;

/** Answers a server's requests to the model until its budget is used up. A refused request has cost nothing. */
export function createSampler({ server, budget, onSample }: SamplingOptions): Sampler {
  let requests = budget.requests;
  let tokens = budget.tokens;
  return async (params, signal) => {
    const maxTokens = Math.min(wantedTokens(params['maxTokens']), budget.tokensPerRequest, tokens);
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
    const answer = await onSample(
      {
        server,
        messages: readMessages(listAt(params, 'messages')).messages,
        systemPrompt: textAt(params, 'systemPrompt', LONGEST_PROMPT),
        maxTokens,
        temperature: typeof params['temperature'] === 'number' ? params['temperature'] : null,
        stopSequences: listAt(params, 'stopSequences').filter((item) => typeof item === 'string'),
        left: { requests, tokens },
      },
      signal,
    ).catch((error: unknown) => {
      refund();
      throw error;
    });
    if (answer === null) {
      refund();
      throw refusal();
    }
    return {
      role: 'assistant',
      content: { type: 'text', text: answer.text },
      model: answer.model,
      stopReason: answer.stopReason ?? 'endTurn',
    };
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
