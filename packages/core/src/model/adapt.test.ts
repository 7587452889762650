import type { Message } from '@toolwright/machine/base/content.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectToFake, hear, requestOf } from '../testing/fake-model/ask.js';
import type { WireName } from '../testing/fake-model/body.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';

let server: FakeModelServer;

beforeEach(async () => {
  server = await startFakeModelServer();
});

afterEach(() => server.close());

const tool = (name: string) => ({
  name,
  description: name,
  parametersJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
});
const refuse = (message: string) => ({
  status: 400,
  body: { error: { type: 'invalid_request_error', message } },
});

describe('a tool the provider refuses', () => {
  it.each<[WireName, string]>([
    ['openai', "Invalid schema for function 'b__two': array schema missing items."],
    ['openai', 'tools[1].function.parameters: bad'],
    ['openai-responses', "Invalid schema for function 'b__two': array schema missing items."],
    [
      'anthropic',
      'tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12',
    ],
    [
      'gemini',
      '* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[a].type: must be specified',
    ],
    ['gemini', 'Unable to submit request because `b__two` functionDeclaration `b__two` schema is wrong'],
  ])('is left out for %s, by name, and the request goes on (%s)', async (wire, message) => {
    server.answer(refuse(message), { text: 'fine' }, { text: 'again' });
    const client = await connectToFake(server, wire);
    const request = requestOf('x', { tools: [tool('one'), tool('b__two'), tool('three')] });
    const { text, notices, error } = await hear(client, request);
    expect(error).toBeUndefined();
    expect(text).toBe('fine');
    expect(notices).toEqual([
      expect.stringMatching(
        /^The tool b__two is left out from now on: .* refused the tool b__two with status 400\./,
      ),
    ]);
    await hear(client, request);
    for (const { body } of server.requests.slice(1)) {
      expect(JSON.stringify(body['tools'])).not.toContain('b__two');
      expect(JSON.stringify(body['tools'])).toContain('three');
    }
  });

  it('is named in the error when nothing else helps', async () => {
    server.answer(...Array.from({ length: 3 }, () => refuse('tools.0.custom.input_schema: no')));
    const { error } = await hear(
      await connectToFake(server, 'anthropic'),
      requestOf('x', { tools: [tool('one'), tool('two')] }),
    );
    expect(error).toMatchObject({ kind: 'bad-request' });
    expect((error as Error).message).toContain('refused the request with status 400');
  });
});

it('the choice of tools says once which tools can not be offered, and sends the others', async () => {
  server.answer({ text: 'a' }, { text: 'b' });
  const client = await connectToFake(server, 'openai');
  const request = requestOf('x', {
    tools: [{ name: 'files__list', parametersJsonSchema: { type: 'array' } }, tool('one')],
  });
  expect((await hear(client, request)).notices).toEqual([
    'The tool files__list of the server files is not offered to this model: its parameters are of type array, not an object.',
  ]);
  expect((await hear(client, request)).notices).toEqual([]);
  expect(server.requests[1]?.body['tools']).toHaveLength(1);
});

const picture: Message = {
  role: 'user',
  parts: [{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
};
const thoughtful: Message[] = [
  { role: 'user', parts: [{ text: 'x' }] },
  {
    role: 'model',
    parts: [{ text: 'Hm.', thought: true }, { functionCall: { id: 'a', name: 'one', args: {} } }],
  },
  { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'one', response: { output: 'y' } } }] },
];

describe('a refusal that tells how to do better', () => {
  it.each<[string, WireName, string, Message[], (body: string) => boolean]>([
    [
      'images',
      'openai',
      'image input is not supported - hint: you may need to provide the mmproj',
      [picture],
      (body) => !body.includes('image_url'),
    ],
    [
      'images',
      'anthropic',
      'This model does not support image input.',
      [picture],
      (body) => !body.includes('"image"'),
    ],
    [
      'images',
      'openai-responses',
      'Invalid input: this model does not support image inputs.',
      [picture],
      (body) => !body.includes('input_image'),
    ],
    [
      'thoughts not taken',
      'openai-responses',
      "Unsupported parameter: 'include'.",
      thoughtful,
      (body) => !body.includes('encrypted_content'),
    ],
    [
      'the name of the output limit',
      'openai',
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      [picture],
      (body) => body.includes('"max_completion_tokens":10'),
    ],
    [
      'a size of the output',
      'anthropic',
      'max_tokens: 10 > 5, which is the maximum allowed number of output tokens',
      [picture],
      (body) => body.includes('"max_tokens":5'),
    ],
    [
      'usage',
      'openai',
      'Unrecognized request argument supplied: stream_options',
      [picture],
      (body) => !body.includes('stream_options'),
    ],
    [
      'thoughts not taken',
      'openai',
      "'messages.1' : property 'reasoning_content' is unsupported",
      thoughtful,
      (body) => !body.includes('reasoning_content'),
    ],
    [
      'cache markers',
      'anthropic',
      'messages.0.content.0.cache_control: Extra inputs are not permitted',
      [picture],
      (body) => !body.includes('cache_control'),
    ],
    [
      'ids of calls',
      'gemini',
      'Invalid JSON payload received. Unknown name "id" at \'contents[1].parts[0].function_call\': Cannot find field.',
      thoughtful,
      (body) => !body.includes('"id"'),
    ],
    [
      'signatures',
      'gemini',
      'Function call is missing a thought_signature in functionCall parts.',
      thoughtful,
      (body) => body.includes('skip_thought_signature_validator'),
    ],
  ])('is followed: %s (%s)', async (_, wire, message, messages, better) => {
    server.answer(refuse(message), { text: 'fine' });
    const client = await connectToFake(server, wire);
    const { text, notices, error } = await hear(client, requestOf('', { messages, maxOutputTokens: 10 }));
    expect([text, error]).toEqual(['fine', undefined]);
    expect(notices).toHaveLength(1);
    const [first, second] = server.requests.map(({ bytes }) => bytes.toString());
    expect([better(first!), better(second!)]).toEqual([false, true]);
  });

  it('is followed: thoughts wanted back (openai)', async () => {
    server.answer(refuse('The reasoning_content in the thinking mode must be passed back to the API.'), {
      text: 'fine',
    });
    const [question, { parts } = { parts: [] }, result] = thoughtful;
    const messages: Message[] = [question!, { role: 'model', parts: parts.slice(1) }, result!];
    const { text } = await hear(await connectToFake(server, 'openai'), requestOf('', { messages }));
    expect(text).toBe('fine');
    expect(server.requests[1]?.body['messages']).toMatchObject([{}, { reasoning_content: '' }, {}]);
  });

  it('is not followed for ever', async () => {
    server.answer(...Array.from({ length: 20 }, () => refuse("Use 'max_completion_tokens'")));
    const { error } = await hear(await connectToFake(server, 'openai'), requestOf('x'));
    expect(error).toMatchObject({ kind: 'bad-request' });
    expect(server.requests.length).toBeLessThanOrEqual(9);
  });
});
