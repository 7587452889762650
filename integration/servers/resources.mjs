// Has resources, templates of them and word of their changes; its argument says in which revision it speaks and how it
// misbehaves. Its tool `touch` changes a resource, `subscribed` tells which ones the client wants to hear of.
import { objectSchema, send, serve, text } from './wire.mjs';

const [era = 'older', behaviour = ''] = process.argv.slice(2);
const isNewer = era === 'newer';
const complete = (result) => ({ resultType: 'complete', ...result });
const capabilities = { tools: {}, resources: { subscribe: behaviour !== 'untold', listChanged: false } };
const icons = [{ src: 'https://notes.test/note.png', mimeType: 'image/png', sizes: ['48x48'] }];
const serverInfo = { name: 'resources', version: '1.0.0', icons };
const versions = new Map();
let subscribed = new Set();
const log = [];

const updated = (uri) => send({ method: 'notifications/resources/updated', params: { uri } });

function touch(uri) {
  versions.set(uri, (versions.get(uri) ?? 1) + 1);
  if (behaviour === 'floods') for (let count = 0; count < 5_000; count++) updated(uri);
  if (behaviour === 'others') for (const other of ['note://8', 'note://9']) updated(other);
  if (subscribed.has(uri)) updated(uri);
}

const templates = [
  { uriTemplate: 'note://{id}', name: 'note', description: 'A note by its number.', icons },
  { uriTemplate: 'find://notes{?words,most}', name: 'find', mimeType: 'text/plain' },
];

serve('resources', {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
  'server/discover': () => {
    if (!isNewer) throw new Error('not known');
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    return complete({ supportedVersions: ['2026-07-28'], capabilities, _meta });
  },
  'tools/list': () =>
    complete({
      tools: ['touch', 'subscribed', 'die'].map((name) => ({ name, inputSchema: objectSchema(), icons })),
    }),
  'tools/call': ({ name, arguments: { uri } = {} }) => {
    if (name === 'subscribed') return complete(text(log.join('; ')));
    if (name === 'die') process.exit(3);
    touch(uri);
    return complete(text('touched'));
  },
  'resources/list': () =>
    complete({
      resources: ['note://1', 'note://2'].map((uri) => ({ uri, name: `Note ${uri.at(-1)}`, icons })),
    }),
  'resources/templates/list':
    behaviour === 'no-templates'
      ? undefined
      : () => complete({ resourceTemplates: [...templates, { uriTemplate: 7 }] }),
  'resources/read': ({ uri }) =>
    complete({ contents: [{ uri, mimeType: 'text/plain', text: `version ${versions.get(uri) ?? 1}` }] }),
  'resources/subscribe': ({ uri }) => {
    log.push(`+${uri}`);
    if (behaviour === 'deaf') return undefined;
    if (behaviour === 'refuses') throw new Error('no subscriptions today');
    subscribed.add(uri);
    return {};
  },
  'resources/unsubscribe': ({ uri }) => {
    log.push(`-${uri}`);
    subscribed.delete(uri);
    return {};
  },
  'subscriptions/listen': ({ notifications }, id) => {
    log.push(JSON.stringify(notifications));
    if (behaviour === 'deaf') return undefined;
    if (behaviour === 'refuses') throw new Error('no subscriptions today');
    const granted = behaviour === 'grants-nothing' ? {} : notifications;
    subscribed = new Set(granted.resourceSubscriptions);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    send({ method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications: granted } });
    return undefined;
  },
  'notifications/cancelled': ({ requestId }) => void log.push(`ended ${requestId}`),
});
