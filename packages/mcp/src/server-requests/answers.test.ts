import { describe, expect, it } from 'vitest';
import type { McpElicitAnswer, McpElicitRequest, McpSampleRequest } from '../contract/connection.js';
import { createElicitor } from './elicitation.js';
import { createSampler } from './sampling.js';

const { signal } = new AbortController();
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }];

describe('sampling', () => {
  const sampler = (answer: 'answer' | 'refuse' | 'fail' = 'answer') => {
    const asked: McpSampleRequest[] = [];
    const sample = createSampler({
      server: 'x',
      budget: { requests: 2, tokens: 150, tokensPerRequest: 100 },
      withTools: false,
      async onSample(request) {
        asked.push(request);
        if (answer === 'fail') throw new Error('no model');
        return answer === 'refuse' ? null : { text: 'hello', model: 'm' };
      },
    });
    return { asked, sample };
  };

  it('is cut to what the budget leaves, and ends with it', async () => {
    const { asked, sample } = sampler();
    expect(await sample({ messages, maxTokens: 5_000 }, signal)).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'hello' },
      model: 'm',
      stopReason: 'endTurn',
    });
    await sample({ messages, maxTokens: 5_000 }, signal);
    expect(asked.map(({ maxTokens, left }) => [maxTokens, left.requests, left.tokens])).toEqual([
      [100, 1, 50],
      [50, 0, 0],
    ]);
    await expect(sample({ messages, maxTokens: 1 }, signal)).rejects.toThrow(
      'The sampling budget is used up (2 requests, 150 tokens for one connection).',
    );
    expect(asked).toHaveLength(2);
  });

  it.each(['refuse', 'fail'] as const)('that ends in "%s" costs nothing', async (answer) => {
    const { asked, sample } = sampler(answer);
    for (let round = 0; round < 5; round++)
      await expect(sample({ messages, maxTokens: 90 }, signal)).rejects.toThrow();
    expect(asked.at(-1)?.left).toEqual({ requests: 1, tokens: 60 });
  });
});

describe('elicitation', () => {
  const elicitor = (answer: McpElicitAnswer) => {
    const asked: McpElicitRequest[] = [];
    const elicit = createElicitor({
      server: 'x',
      async onElicit(request) {
        asked.push(request);
        return answer;
      },
    });
    return { asked, elicit };
  };
  const requestedSchema = {
    type: 'object' as const,
    properties: { age: { type: 'integer' as const } },
    required: ['age'],
  };
  const form = { mode: 'form' as const, message: 'Age?\u200b', requestedSchema };

  it('passes on an answer that fits', async () => {
    const { asked, elicit } = elicitor({ action: 'accept', content: { age: 7 } });
    expect(await elicit(form, signal)).toEqual({ action: 'accept', content: { age: 7 } });
    expect(asked).toEqual([{ kind: 'form', server: 'x', message: 'Age?', schema: requestedSchema }]);
  });

  it('keeps back an answer that does not', async () => {
    const { elicit } = elicitor({ action: 'accept', content: { age: 'old' } });
    await expect(elicit(form, signal)).rejects.toThrow('age: expected integer, got string "old"');
  });

  it.each(['decline', 'cancel'] as const)('passes on "%s" without content', async (action) => {
    expect(await elicitor({ action }).elicit(form, signal)).toEqual({ action });
  });

  it('opens addresses of the web only', async () => {
    const { asked, elicit } = elicitor({ action: 'accept' });
    const visit = (url: string) => elicit({ mode: 'url', message: 'Go', url, elicitationId: '1' }, signal);
    expect(await visit('https://a.test/x')).toEqual({ action: 'accept' });
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'not an address'])
      await expect(visit(url)).rejects.toThrow('only http and https addresses can be opened');
    expect(asked).toEqual([{ kind: 'url', server: 'x', message: 'Go', url: 'https://a.test/x' }]);
  });
});
