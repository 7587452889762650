// Offers 5,000 tools on 50 pages. With `circle`, the pages never end.
import { objectSchema, serve, text } from './wire.mjs';

const isCircle = process.argv[2] === 'circle';
serve('five-thousand-tools', {
  'tools/list': ({ cursor = '0' }) => {
    const page = Number(cursor);
    const tools = Array.from({ length: 100 }, (_, index) => ({
      name: `tool_${page * 100 + index}`,
      description: `Tool number ${page * 100 + index} of many, with a description of usual length for a tool.`,
      inputSchema: objectSchema({ value: { type: 'string', description: 'What to work on.' } }),
    }));
    if (isCircle) return { tools, nextCursor: String((page + 1) % 3) };
    return page === 49 ? { tools } : { tools, nextCursor: String(page + 1) };
  },
  'tools/call': ({ name }) => text(name),
});
