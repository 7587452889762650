import { expect, it } from 'vitest';
import { showTool } from './show-tool.js';

const declaration = {
  name: 'shop__find',
  description: 'Finds an item.',
  parametersJsonSchema: {
    type: 'object',
    properties: {
      color: { type: ['string', 'null'], enum: ['red', 'blue', null] },
      code: { type: 'string', pattern: '(?=x)' },
    },
    required: ['color'],
  },
};

it('the view of a tool shows what each provider is sent, and what is lost', async () => {
  expect(await showTool(declaration, 'openai')).toEqual({
    offered: true,
    sent: {
      type: 'function',
      function: {
        name: 'shop__find',
        description: 'Finds an item.',
        parameters: {
          type: 'object',
          properties: {
            color: { type: ['string', 'null'], enum: ['red', 'blue', null] },
            code: { type: 'string', description: '(matches (?=x))' },
          },
          required: ['color'],
        },
      },
    },
    losses: [{ path: 'code', what: 'pattern is described in text only' }],
  });
  expect(await showTool(declaration, 'openai-responses')).toMatchObject({
    sent: { type: 'function', name: 'shop__find', parameters: { type: 'object' }, strict: false },
    losses: [{ path: 'code', what: 'pattern is described in text only' }],
  });
  expect(await showTool(declaration, 'anthropic')).toMatchObject({
    sent: { name: 'shop__find', input_schema: { type: 'object' } },
    losses: [],
  });
  expect(await showTool(declaration, 'gemini')).toMatchObject({
    sent: {
      parameters: {
        type: 'OBJECT',
        properties: { color: { type: 'STRING', nullable: true, enum: ['red', 'blue'] } },
      },
    },
    losses: [{ path: 'code', what: 'pattern is described in text only' }],
  });
});

it('the view of a tool says why a tool is not offered', async () => {
  expect(await showTool({ name: 'shop__all', parametersJsonSchema: { type: 'string' } }, 'gemini')).toEqual({
    offered: false,
    reason:
      'The tool shop__all of the server shop is not offered to this model: its parameters are of type string, not an object.',
  });
});
