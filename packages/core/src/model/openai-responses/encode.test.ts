import type { Message } from '@toolwright/machine/base/content.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectToFake, type FakeConnection, hear, requestOf } from '../../testing/fake-model/ask.js';
import { type FakeModelServer, startFakeModelServer } from '../../testing/fake-model-server.js';
import type { ModelRequest } from '../model.js';

let server: FakeModelServer;

beforeAll(async () => {
  server = await startFakeModelServer({ otherwise: { text: 'ok' } });
});

afterAll(() => server.close());

async function bodyOf(request: Partial<ModelRequest>, options: FakeConnection = {}) {
  const { error } = await hear(
    await connectToFake(server, 'openai-responses', options),
    requestOf('', request),
  );
  expect(error).toBeUndefined();
  return server.requests.at(-1)!.body;
}

const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=', displayName: 'shot.png' };
const pdf = { mimeType: 'application/pdf', data: 'JVBERi0=', displayName: 'spec.pdf' };
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' };
const text = (said: string) => ({ type: 'input_text', text: said });

describe('a request in the Responses format', () => {
  it('carries the whole conversation, with thoughts that the server sealed and the images of results', async () => {
    const messages: Message[] = [
      { role: 'user', parts: [{ text: 'Compare.' }, { inlineData: png }, { inlineData: pdf }] },
      {
        role: 'model',
        parts: [
          { text: 'I must look.', thought: true, thoughtSignature: 'responses:sealed' },
          { text: 'Of another provider.', thought: true, thoughtSignature: 'anthropic:proof' },
          { text: 'Looking.' },
          { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.png' } } },
          { functionCall: { id: 'c2', name: 'glob', args: { pattern: '*' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'read_file',
              response: { output: 'An image.' },
              parts: [{ inlineData: png }],
            },
          },
          { functionResponse: { id: 'c2', name: 'glob', response: { output: '' } } },
        ],
      },
    ];
    const parametersJsonSchema = { type: 'object', properties: { pattern: { type: 'string' } } };
    const tools = [{ name: 'glob', description: 'Finds.', parametersJsonSchema }];
    expect(await bodyOf({ system: 'Be brief.', messages, tools, maxOutputTokens: 50 })).toEqual({
      model: 'fake-model',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 50,
      tools: [
        {
          type: 'function',
          name: 'glob',
          description: 'Finds.',
          parameters: parametersJsonSchema,
          strict: false,
        },
      ],
      instructions: 'Be brief.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            text('Compare.'),
            image,
            text('[application/pdf spec.pdf, 1 KB: left out, this model does not take PDF files]'),
          ],
        },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'I must look.' }],
          encrypted_content: 'sealed',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
        { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{"path":"a.png"}' },
        { type: 'function_call', call_id: 'c2', name: 'glob', arguments: '{"pattern":"*"}' },
        { type: 'function_call_output', call_id: 'c1', output: [text('An image.'), image] },
        { type: 'function_call_output', call_id: 'c2', output: '(no output)' },
      ],
    });
  });

  it('takes PDF files where the options say so, and links as links', async () => {
    const link = { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' } };
    const messages: Message[] = [{ role: 'user', parts: [{ inlineData: pdf }, link] }];
    const { input } = await bodyOf({ messages }, { capabilities: { pdf: true } });
    expect(input).toMatchObject([
      {
        content: [
          { type: 'input_file', filename: 'spec.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
        ],
      },
    ]);
  });

  it('leaves thoughts out once the server has refused them', async () => {
    const refusal = "Unsupported parameter: 'include' with 'reasoning.encrypted_content'";
    server.answer({ status: 400, body: { error: { type: 'invalid_request_error', message: refusal } } });
    const client = await connectToFake(server, 'openai-responses');
    const messages: Message[] = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [{ text: 'Hm.', thought: true, thoughtSignature: 'responses:x' }, { text: 'Yes?' }],
      },
      { role: 'user', parts: [{ text: 'Go on' }] },
    ];
    const { notices, error } = await hear(client, requestOf('', { messages }));
    expect(error).toBeUndefined();
    expect(notices).toEqual(['This server does not accept earlier reasoning; it is left out from now on.']);
    const body = JSON.stringify(server.requests.at(-1)!.body);
    expect(body).not.toMatch(/encrypted|Hm\./);
  });
});
