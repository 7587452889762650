// Speaks the 2026-07-28 revision only: no handshake, everything about the connection in each request; a question to the
// person comes as a result that wants input.
import { objectSchema, serve } from './wire.mjs';

const complete = (result) => ({ resultType: 'complete', ...result });
const identity = { 'io.modelcontextprotocol/serverInfo': { name: 'modern-only', version: '2.0.0' } };
serve('modern-only', {
  initialize: undefined,
  'server/discover': () =>
    complete({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: identity,
    }),
  'tools/list': () =>
    complete({
      tools: [{ name: 'greet', description: 'Greets.', inputSchema: objectSchema() }],
      ttlMs: 0,
      cacheScope: 'private',
    }),
  'tools/call': ({ inputResponses, _meta }) => {
    if (!inputResponses)
      return {
        resultType: 'input_required',
        requestState: 'asked',
        inputRequests: {
          name: {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              message: 'Your name?',
              requestedSchema: {
                type: 'object',
                properties: { name: { type: 'string' } },
                required: ['name'],
              },
            },
          },
        },
      };
    const version = _meta['io.modelcontextprotocol/protocolVersion'];
    return complete({
      content: [{ type: 'text', text: `hello ${inputResponses.name.content.name}, ${version}` }],
    });
  },
});
