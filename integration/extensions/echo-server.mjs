import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';

const tools = [
  {
    name: 'echo',
    description: 'Says a text again.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize')
    answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1.0.0' },
    });
  else if (method === 'tools/list') answer({ tools });
  else if (method === 'tools/call') {
    const here = readdirSync('.').join(' ');
    const text = `${process.env.GREETING} ${params.arguments.text}, in the workspace: ${here}`;
    answer({ content: [{ type: 'text', text }] });
  } else if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'not known here' } }));
}
