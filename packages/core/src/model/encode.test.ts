import type { Message } from '@toolwright/machine/base/content.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectToFake, type FakeConnection, hear, requestOf } from '../testing/fake-model/ask.js';
import type { WireName } from '../testing/fake-model/body.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';
import type { ModelRequest } from './model.js';

let server: FakeModelServer;

beforeAll(async () => {
  server = await startFakeModelServer({ otherwise: { text: 'ok' } });
});

afterAll(() => server.close());

async function bodyOf(wire: WireName, request: Partial<ModelRequest>, options: FakeConnection = {}) {
  const { error } = await hear(await connectToFake(server, wire, options), requestOf('', request));
  expect(error).toBeUndefined();
  return server.requests.at(-1)!.body;
}

const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=', displayName: 'shot.png' };
const pdf = { mimeType: 'application/pdf', data: 'JVBERi0=', displayName: 'spec.pdf' };

const conversation: Message[] = [
  { role: 'user', parts: [{ text: 'Compare these.' }, { inlineData: png }, { inlineData: pdf }] },
  {
    role: 'model',
    parts: [
      { text: 'I must look.', thought: true },
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
      { functionResponse: { id: 'c2', name: 'glob', response: { error: 'No such folder.' } } },
    ],
  },
  { role: 'model', parts: [{ text: 'Done.' }] },
  { role: 'user', parts: [{ text: 'Thanks.' }] },
];

const tools = [
  {
    name: 'glob',
    description: 'Finds.',
    parametersJsonSchema: { type: 'object', properties: { pattern: { type: 'string' } } },
  },
];
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

describe('Chat Completions', () => {
  it('takes media of a result in the message after it, and a note for what the model can not take', async () => {
    expect(
      await bodyOf('openai', { system: 'Be brief.', messages: conversation, tools, maxOutputTokens: 50 }),
    ).toEqual({
      model: 'fake-model',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 50,
      tools: [
        {
          type: 'function',
          function: {
            name: 'glob',
            description: 'Finds.',
            parameters: { type: 'object', properties: { pattern: { type: 'string' } } },
          },
        },
      ],
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Compare these.' },
            image,
            {
              type: 'text',
              text: '[application/pdf spec.pdf, 1 KB: left out, this model does not take PDF files]',
            },
          ],
        },
        {
          role: 'assistant',
          content: 'Looking.',
          reasoning_content: 'I must look.',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.png"}' } },
            { id: 'c2', type: 'function', function: { name: 'glob', arguments: '{"pattern":"*"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'An image.\n[image/png: see the next message]' },
        { role: 'tool', tool_call_id: 'c2', content: 'No such folder.' },
        { role: 'user', content: [{ type: 'text', text: 'From the result of read_file:' }, image] },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Thanks.' },
      ],
    });
  });

  it('takes PDF files and audio where the options say so', async () => {
    const audio = { mimeType: 'audio/wav', data: 'UklGRg==' };
    const messages: Message[] = [{ role: 'user', parts: [{ inlineData: pdf }, { inlineData: audio }] }];
    const body = await bodyOf('openai', { messages }, { capabilities: { pdf: true, audio: true } });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'spec.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
    ]);
  });

  it('sends the field for thoughts to DeepSeek even where there was no thought', async () => {
    const body = await bodyOf(
      'openai',
      {
        messages: [
          { role: 'user', parts: [{ text: 'x' }] },
          { role: 'model', parts: [{ functionCall: { id: 'a', name: 'glob', args: {} } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { id: 'a', name: 'glob', response: { output: '' } } }],
          },
        ],
      },
      { model: 'deepseek-chat' },
    );
    expect((body['messages'] as object[])[1]).toMatchObject({ content: null, reasoning_content: '' });
    expect((body['messages'] as object[])[2]).toMatchObject({ content: '(no output)' });
  });
});

describe('Anthropic Messages', () => {
  const signed: Message[] = conversation.map((message, index) =>
    index === 1
      ? {
          role: 'model',
          parts: [
            { text: 'I must look.', thought: true, thoughtSignature: 'anthropic:c2ln' },
            { text: '', thought: true, thoughtSignature: 'anthropic-redacted:ZGF0YQ==' },
            { text: 'Not mine.', thought: true, thoughtSignature: 'Z2VtaW5p' },
            ...message.parts.slice(1),
          ],
        }
      : message,
  );
  const mark = { cache_control: { type: 'ephemeral' } };
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  };

  it('takes signed thoughts back, media inside results, and cache markers', async () => {
    expect(
      await bodyOf(
        'anthropic',
        { system: 'Be brief.', messages: signed, tools },
        { model: 'claude-sonnet-4-5' },
      ),
    ).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 64_000,
      stream: true,
      tools: [
        {
          name: 'glob',
          description: 'Finds.',
          input_schema: { type: 'object', properties: { pattern: { type: 'string' } } },
          ...mark,
        },
      ],
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Compare these.' },
            picture,
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              title: 'spec.pdf',
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'I must look.', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'ZGF0YQ==' },
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a.png' } },
            { type: 'tool_use', id: 'c2', name: 'glob', input: { pattern: '*' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [{ type: 'text', text: 'An image.' }, picture],
            },
            { type: 'tool_result', tool_use_id: 'c2', content: 'No such folder.', is_error: true },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Thanks.', ...mark }] },
      ],
    });
  });

  it('gets a second marker where more than twenty blocks lie since the last one', async () => {
    const calls = Array.from({ length: 12 }, (_, index) => ({
      functionCall: { id: `c${index}`, name: 'glob', args: {} },
    }));
    const results = calls.map(({ functionCall: { id, name } }) => ({
      functionResponse: { id, name, response: { output: 'x' } },
    }));
    const { messages } = (await bodyOf('anthropic', {
      messages: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: calls },
        { role: 'user', parts: results },
      ],
    })) as { messages: { content: object[] }[] };
    expect(messages[0]?.content.at(-1)).toMatchObject(mark);
    expect(messages[2]?.content.at(-1)).toMatchObject(mark);
    expect(JSON.stringify(messages).split('cache_control')).toHaveLength(3);
  });
});

describe('Gemini', () => {
  const inline = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };

  it('takes media beside a result before generation 3, and inside it since', async () => {
    const older = await bodyOf(
      'gemini',
      { system: 'Be brief.', messages: conversation, tools, maxOutputTokens: 9 },
      { model: 'gemini-2.5-pro' },
    );
    expect(older).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'glob',
              description: 'Finds.',
              parameters: { type: 'OBJECT', properties: { pattern: { type: 'STRING' } } },
            },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 9, thinkingConfig: { includeThoughts: true } },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Compare these.' },
            inline,
            { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'Looking.' },
            { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.png' } } },
            { functionCall: { id: 'c2', name: 'glob', args: { pattern: '*' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'read_file', response: { output: 'An image.' } } },
            { functionResponse: { id: 'c2', name: 'glob', response: { error: 'No such folder.' } } },
            { text: 'From the result of read_file:' },
            inline,
          ],
        },
        { role: 'model', parts: [{ text: 'Done.' }] },
        { role: 'user', parts: [{ text: 'Thanks.' }] },
      ],
    });
    const { contents } = (await bodyOf('gemini', { messages: conversation }, { model: 'gemini-3-pro' })) as {
      contents: { parts: object[] }[];
    };
    expect(contents[2]?.parts[0]).toEqual({
      functionResponse: { id: 'c1', name: 'read_file', response: { output: 'An image.' }, parts: [inline] },
    });
    expect(contents[1]?.parts[1]).toMatchObject({ thoughtSignature: 'skip_thought_signature_validator' });
    expect(contents[1]?.parts[2]).not.toHaveProperty('thoughtSignature');
  });

  it('gets its own signatures back where they were, and no list of tools where there is none', async () => {
    const body = await bodyOf('gemini', {
      messages: [
        { role: 'user', parts: [{ text: 'x' }] },
        {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true, thoughtSignature: 'VGg=' },
            { text: '', thoughtSignature: 'RW0=' },
            { functionCall: { id: 'a', name: 'glob', args: {} }, thoughtSignature: 'Q2E=' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'glob', response: { output: 'y' } } }] },
      ],
    });
    expect(body).not.toHaveProperty('tools');
    expect((body['contents'] as object[])[1]).toEqual({
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true, thoughtSignature: 'VGg=' },
        { text: '', thoughtSignature: 'RW0=' },
        { functionCall: { id: 'a', name: 'glob', args: {} }, thoughtSignature: 'Q2E=' },
      ],
    });
  });
});

it('the encoder puts notes in the place of images for a model that can not see', async () => {
  for (const wire of ['openai', 'openai-responses', 'anthropic', 'gemini'] as const) {
    const body = JSON.stringify(
      await bodyOf(wire, { messages: conversation }, { capabilities: { images: false, pdf: false } }),
    );
    expect(body).not.toContain(png.data);
    expect(body).toContain('[image/png shot.png, 1 KB: left out, this model does not take images]');
  }
});

describe('The choice of tools', () => {
  it.each([
    ['openai', 'required', { tool_choice: 'required' }],
    ['openai', 'none', { tool_choice: 'none' }],
    ['openai-responses', 'required', { tool_choice: 'required' }],
    ['openai-responses', 'none', { tool_choice: 'none' }],
    ['anthropic', 'required', { tool_choice: { type: 'any' } }],
    ['anthropic', 'none', { tool_choice: { type: 'none' } }],
    ['gemini', 'required', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
    ['gemini', 'none', { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
  ] as const)('%s is told that calls are %s, where there are tools', async (wire, toolChoice, expected) => {
    const messages: Message[] = [{ role: 'user', parts: [{ text: 'x' }] }];
    expect(await bodyOf(wire, { messages, tools, toolChoice })).toMatchObject(expected);
    const [field = ''] = Object.keys(expected);
    expect(await bodyOf(wire, { messages, tools: [], toolChoice })).not.toHaveProperty(field);
    expect(await bodyOf(wire, { messages, tools })).not.toHaveProperty(field);
  });
});
