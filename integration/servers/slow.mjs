// Answers the handshake and the list, but takes longer over a call than anybody waits; says so when it is told to stop.
import { objectSchema, serve, text } from './wire.mjs';

const delay = Number(process.argv[2] ?? 60_000);
serve('slow', {
  'tools/list': () => ({ tools: [{ name: 'sleep', description: 'Sleeps.', inputSchema: objectSchema() }] }),
  'tools/call': () => new Promise((resolve) => setTimeout(() => resolve(text('awake')), delay)),
  'notifications/cancelled': ({ reason }) => process.stderr.write(`slow: cancelled: ${reason}\n`),
});
