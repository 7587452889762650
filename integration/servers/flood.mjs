// Floods standard output, with messages (`messages`) or with one line that never ends (`line`), once a tool is called.
import { objectSchema, serve } from './wire.mjs';

const kind = process.argv[2] ?? 'messages';
const note = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`;
const chunk = kind === 'line' ? 'x'.repeat(65_536) : note.repeat(500);
const pour = () => {
  while (process.stdout.write(chunk));
  process.stdout.once('drain', pour);
};
serve(
  'flood',
  {
    'tools/list': () => ({ tools: [{ name: 'pour', description: 'Pours.', inputSchema: objectSchema() }] }),
    'tools/call': () => {
      process.stderr.write('flood: opening the gates\n');
      pour();
    },
  },
  { capabilities: { tools: {}, logging: {} } },
);
