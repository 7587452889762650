// Answers a call of `untidy` with what is no result, and one of `shut` by closing its output and living on.
import { closeSync } from 'node:fs';
import { objectSchema, send, serve } from './wire.mjs';

serve('untidy', {
  'tools/list': () => ({
    tools: ['untidy', 'shut'].map((name) => ({ name, inputSchema: objectSchema() })),
  }),
  'tools/call': ({ name }, id) => {
    if (name === 'shut') closeSync(1);
    else send({ id, result: null });
  },
});
