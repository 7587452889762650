// Speaks the 2026-07-28 revision, and misbehaves as its argument says. `ASKED` names a file for the questions with which
// clients begin.
import { appendFileSync } from 'node:fs';
import { objectSchema, send, serve } from './wire.mjs';

const [behaviour = 'both'] = process.argv.slice(2);
const { ASKED, VERSION = '2.0.0' } = process.env;
const note = (method) => ASKED && appendFileSync(ASKED, `${method}\n`);
const complete = (result = {}) => ({ resultType: 'complete', ...result });
const text = (value) => complete({ content: [{ type: 'text', text: value }] });
const question = (key, message) => ({
  [key]: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  },
});
const wanted = (inputRequests, requestState) => ({
  resultType: 'input_required',
  inputRequests,
  requestState,
});
const listChanged = { method: 'notifications/tools/list_changed', params: {} };

const calls = {
  greet: ({ inputResponses, requestState, _meta }) =>
    inputResponses
      ? text(
          `hello ${inputResponses.name.content.name}, ${requestState}, ${_meta['io.modelcontextprotocol/protocolVersion']}`,
        )
      : wanted(question('name', 'Your name?'), 'st\u00e4te "1"'),
  'endless-input': ({ requestState = '0' }) => wanted(undefined, String(Number(requestState) + 1)),
  'endless-questions': ({ requestState = '0' }) =>
    wanted(question('name', `Question ${requestState}?`), String(Number(requestState) + 1)),
  'many-questions': () =>
    wanted(Object.assign({}, ...Array.from({ length: 50 }, (_, index) => question(`q${index}`, 'And?')))),
  'odd-question': () => wanted({ a: { method: 'files/read', params: { path: '/etc/passwd' } } }),
  'no-question': () => ({ resultType: 'input_required' }),
  progress: ({ _meta }) => {
    send({
      method: 'notifications/progress',
      params: { progressToken: _meta.progressToken, progress: 1, total: 2 },
    });
    send({ method: 'notifications/progress', params: { progressToken: 'of somebody else', progress: 9 } });
    send({
      method: 'notifications/progress',
      params: { progressToken: _meta.progressToken, progress: 'much' },
    });
    send({ method: 'notifications/message', params: { level: 'info', data: 'working', logger: 'newer' } });
    return text(`level ${_meta['io.modelcontextprotocol/logLevel']}`);
  },
  'no-object': () => 'text',
};

serve('newer', {
  initialize: ({ protocolVersion }) => {
    note('initialize');
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'newer', version: VERSION } };
  },
  'server/discover': () => {
    note('server/discover');
    if (behaviour === 'dies') process.exit(7);
    if (behaviour === 'silent') return undefined;
    return complete({
      supportedVersions: behaviour === 'future' ? ['2031-01-01'] : ['2026-07-28', '2025-11-25'],
      capabilities: { tools: { listChanged: true } },
      instructions: behaviour === 'odd' ? 7 : 'Be kind.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'newer', version: VERSION } },
    });
  },
  'tools/list': () =>
    complete({
      tools: [
        ...Object.keys(calls).map((name) => ({ name, inputSchema: objectSchema() })),
        { name: 'broken', inputSchema: 'none' },
      ],
    }),
  'tools/call': (params) => {
    process.stderr.write(`call ${params.name}\n`);
    return calls[params.name](params);
  },
  'subscriptions/listen': ({ notifications }, id) => {
    process.stderr.write(`listen ${JSON.stringify(notifications)}\n`);
    if (behaviour === 'refuses-listening') throw new Error('no subscriptions today');
    if (behaviour === 'ends-listening') return complete();
    send({ method: 'notifications/subscriptions/acknowledged', params: { notifications } });
    if (behaviour === 'floods') for (let count = 0; count < 20_000; count++) send(listChanged);
    else send({ ...listChanged, params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } } });
    return undefined;
  },
  'notifications/cancelled': ({ requestId, reason }) =>
    void process.stderr.write(`cancelled ${requestId}: ${reason}\n`),
});
