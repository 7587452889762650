// Nine ways to describe a tool wrongly, and one right way.
import { objectSchema, serve } from './wire.mjs';

const tool = (name, rest) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: objectSchema(),
  ...rest,
});
serve('invalid-schemas', {
  'tools/list': () => ({
    tools: [
      tool('good', { outputSchema: objectSchema({ count: { type: 'integer' } }) }),
      tool('output_is_text', { outputSchema: 'a table' }),
      tool('output_without_type', { outputSchema: { properties: { a: {} } } }),
      tool('output_bad_reference', {
        outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/gone' } } },
      }),
      tool('no_input', { inputSchema: undefined }),
      tool('input_is_list', { inputSchema: [] }),
      tool('input_is_string_type', { inputSchema: { type: 'string' } }),
      tool('input_unknown_type', { inputSchema: objectSchema({ a: { type: 'datetime' } }) }),
      tool('input_bad_pattern', { inputSchema: objectSchema({ a: { type: 'string', pattern: '([' } }) }),
      tool('description_is_number', { description: 7 }),
      'not even an object',
    ],
  }),
  'tools/call': ({ name, arguments: args }) => ({
    content: [{ type: 'text', text: name }],
    structuredContent: { count: args.wrong ? 'many' : 3 },
  }),
});
