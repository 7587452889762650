// Offers the same name twice, and a tool without a name.
import { objectSchema, serve, text } from './wire.mjs';

serve('duplicate-names', {
  'tools/list': () => ({
    tools: [
      { name: 'read', description: 'The first.', inputSchema: objectSchema() },
      { name: 'read', description: 'The second.', inputSchema: objectSchema() },
      { name: '', description: 'Nameless.', inputSchema: objectSchema() },
      { name: 'write', description: 'Another.', inputSchema: objectSchema() },
    ],
  }),
  'tools/call': ({ name }) => text(name),
});
