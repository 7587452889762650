import type { McpSampleRequest } from '@toolwright/mcp/contract/connection.js';
import { describe, expect, it } from 'vitest';
import type { ModelClient, ModelEvent, ModelRequest } from '../model/model.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import { answerSample } from './sampling.js';

const { signal } = new AbortController();
const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
};

function sampleRequest(more: Partial<McpSampleRequest> = {}): McpSampleRequest {
  return {
    server: 'notes',
    messages: [{ role: 'user', parts: [{ text: 'How is the weather?' }] }],
    systemPrompt: '',
    maxTokens: 100,
    temperature: null,
    stopSequences: [],
    tools: [weather],
    toolChoice: 'auto',
    left: { requests: 3, tokens: 900 },
    ...more,
  };
}

type Finish = Extract<ModelEvent, { type: 'finish' }>;

/** A user who gives this outcome, and a model that gives this answer. */
function surroundings(finish: Omit<Finish, 'type'>, outcome: Outcome = { kind: 'once' }) {
  const [questions, requests, said]: [ConfirmRequest[], ModelRequest[], string[]] = [[], [], []];
  const model: ModelClient = {
    provider: 'test',
    model: 'test-1',
    async *stream(request) {
      requests.push(request);
      yield { type: 'finish', ...finish };
    },
  };
  const confirm = async (request: ConfirmRequest): Promise<Outcome> => {
    questions.push(request);
    return outcome;
  };
  const needs = { model, confirm, say: (message: string) => void said.push(message) };
  return { questions, requests, said, needs };
}

const call = { functionCall: { id: 'c1', name: 'notes__weather', args: { city: 'Bonn' } } };

describe('an MCP server that offers tools to the model', () => {
  it('gets the calls of the model under the names that it gave', async () => {
    const { needs, requests } = surroundings({ reason: 'calls', parts: [{ text: 'Looking.' }, call] });
    expect(await answerSample(sampleRequest({ toolChoice: 'required' }), needs, signal)).toEqual({
      text: 'Looking.',
      calls: [{ id: 'c1', name: 'weather', args: { city: 'Bonn' } }],
      model: 'test-1',
      stopReason: 'endTurn',
    });
    expect(requests).toEqual([
      {
        purpose: 'sampling',
        system: '',
        messages: [{ role: 'user', parts: [{ text: 'How is the weather?' }] }],
        tools: [
          {
            name: 'notes__weather',
            description: 'The weather of a city.',
            parametersJsonSchema: weather.inputSchema,
          },
        ],
        toolChoice: 'required',
        maxOutputTokens: 100,
      },
    ]);
  });

  it('can not pass a tool of its own off as one of ours: the model knows it by the name of the server', async () => {
    const { needs, requests } = surroundings({ reason: 'stop', parts: [{ text: 'Hm.' }] });
    const messages: McpSampleRequest['messages'] = [
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'edit', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'a', name: 'edit', response: { output: 'done' } } }],
      },
    ];
    await answerSample(sampleRequest({ tools: [{ ...weather, name: 'edit' }], messages }), needs, signal);
    expect(JSON.stringify(requests)).not.toContain('"edit"');
    expect(JSON.stringify(requests).match(/"notes__edit"/g)).toHaveLength(3);
  });

  it('is asked about with its tools, the calls and their results', async () => {
    const { needs, questions } = surroundings({ reason: 'stop', parts: [{ text: 'Sunny.' }] });
    const messages: McpSampleRequest['messages'] = [
      { role: 'user', parts: [{ text: 'How is it?' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'weather', args: { city: 'Bonn' } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'a', name: 'weather', response: { output: 'sunny' } } }],
      },
    ];
    await answerSample(sampleRequest({ messages, systemPrompt: 'Be brief.' }), needs, signal);
    expect(questions).toMatchObject([
      {
        tool: 'sampling',
        reason:
          'the server asks for up to 100 tokens and offers the model 1 tool of its own; after that it may ask for 900 more, in 3 requests',
        details: {
          prompt: [
            'tool weather: The weather of a city.',
            'system: Be brief.',
            'user: How is it?',
            'model: [calls weather with {"city":"Bonn"}]',
            'user: [weather gave {"output":"sunny"}]',
          ].join('\n'),
        },
      },
    ]);
  });

  it('gets no calls of an answer that broke off', async () => {
    const { needs } = surroundings({ reason: 'length', parts: [{ text: 'Loo' }, call] });
    expect(await answerSample(sampleRequest(), needs, signal)).toMatchObject({
      text: 'Loo',
      calls: [],
      stopReason: 'maxTokens',
    });
  });

  it('reaches no model where the user says no', async () => {
    const { needs, requests, said } = surroundings({ reason: 'stop', parts: [] }, { kind: 'cancel' });
    expect(await answerSample(sampleRequest(), needs, signal)).toBeNull();
    expect(requests).toEqual([]);
    expect(said).toEqual(['The MCP server "notes" asked for an answer from the model; that was declined.']);
  });
});
