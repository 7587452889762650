// Prints things that are no messages to standard output, before, between and around the messages.
import { objectSchema, serve, text } from './wire.mjs';

process.stdout.write('Listening on stdio…\n{"level":"info","msg":"a log line"}\n\u001b[31mred\u001b[0m\n\n');
serve('gar\nbage\u001b[31m', {
  'tools/list': () => {
    process.stdout.write('DEBUG listing tools\n{"jsonrpc":\n');
    return { tools: [{ name: 'hello', description: 'Greets.', inputSchema: objectSchema() }] };
  },
  'tools/call': () => {
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    return text('hello');
  },
});
