// Asks for everything a server may ask for while it works on a call: `roots`, `form`, `flood` (many forms at once),
// `sample`, `address` (refuses until the person has visited an address), `log`.
import { objectSchema, send, serve, text } from './wire.mjs';

let asked = 0;
const waiting = new Map();
let visited = false;
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `ask-${++asked}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
const form = () =>
  ask('elicitation/create', {
    message: 'How many?\u202e',
    requestedSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
  });
const tools = {
  roots: () => ask('roots/list', {}),
  form,
  flood: async () =>
    (await Promise.all(Array.from({ length: 8 }, form))).map((answer) => answer.error?.message ?? 'answered'),
  sample: () =>
    ask('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello?' } }],
      maxTokens: 100,
    }),
  log: () => {
    send({
      method: 'notifications/message',
      params: { level: 'warning', logger: 'disk', data: 'almost\u200b full' },
    });
    send({ method: 'notifications/message', params: { level: 'info', data: { free: 3 } } });
    return 'logged';
  },
};
let capabilities;
serve(
  'asking',
  {
    initialize: (params) => {
      capabilities = params.capabilities;
      const { protocolVersion } = params;
      return {
        protocolVersion,
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: 'asking', version: '1' },
      };
    },
    'logging/setLevel': ({ level }) => {
      process.stderr.write(`asking: level ${level}\n`);
      return {};
    },
    'notifications/roots/list_changed': () => process.stderr.write('asking: roots changed\n'),
    'tools/list': () => ({
      tools: [...Object.keys(tools), 'address', 'capabilities'].map((name) => ({
        name,
        inputSchema: objectSchema(),
      })),
    }),
    'tools/call': async ({ name }, id) => {
      if (name === 'capabilities') return text(JSON.stringify(Object.keys(capabilities).sort()));
      if (name !== 'address') return text(JSON.stringify(await tools[name]()));
      if (visited) return text('welcome');
      visited = true;
      const elicitations = [
        { mode: 'url', message: 'Sign the form', url: 'https://sign.example/form', elicitationId: '1' },
      ];
      send({ id, error: { code: -32042, message: 'visit first', data: { elicitations } } });
    },
  },
  { onAnswer: (id, answer) => waiting.get(id)?.(answer) },
);
