/** The text of an MCP server that asks while it works: `send_mail`, `book_room` with a form, `sign` with an address. */
export const mailServer = `import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const properties = { to: { type: 'string' }, text: { type: 'string' } };
const tool = (name, description) => ({ name, description, inputSchema: { type: 'object', properties } });
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const form = {
  message: 'Which room, and for how many people?',
  requestedSchema: {
    type: 'object',
    properties: {
      room: { type: 'string', title: 'Room', enum: ['Attic', 'Garden', 'Library'] },
      people: { type: 'integer', title: 'People', minimum: 1, maximum: 12 },
    },
    required: ['room'],
  },
};
const address = { mode: 'url', message: 'Sign the contract', url: 'https://sign.example/contract/7', elicitationId: '7' };
let open = null;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'mail', version: '1' } } });
  else if (method === 'tools/list')
    send({ id, result: { tools: [tool('send_mail', 'Sends a mail.'), tool('book_room', 'Books a room.'), tool('sign', 'Signs a contract.')] } });
  else if (method === 'tools/call' && params.name === 'book_room') {
    open = id;
    send({ id: 'ask', method: 'elicitation/create', params: form });
  } else if (method === 'tools/call' && params.name === 'sign')
    send({ id, error: { code: -32042, message: 'sign first', data: { elicitations: [address] } } });
  else if (method === 'tools/call') send({ id, result: text('Sent.') });
  else if (id === 'ask') send({ id: open, result: text('Booked.') });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
});
`;
