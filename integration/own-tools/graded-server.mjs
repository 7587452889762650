// An MCP server with a tool that keeps its promises and, as `bad`, one that does not.
import { serve, text } from '../servers/wire.mjs';

const good = {
  name: 'reverse',
  description: 'Reverses the letters of a text.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The text to reverse.' } },
    required: ['text'],
  },
};
const bad = { name: 'pile', description: 'x', inputSchema: { type: 'object', properties: { size: {} } } };
const isBad = process.argv[2] === 'bad';

serve('graded', {
  'tools/list': () => ({ tools: [isBad ? bad : good] }),
  'tools/call': ({ arguments: given = {} }) =>
    text(isBad ? 'x'.repeat(2 * 1024 * 1024) : [...given.text].reverse().join('')),
});
