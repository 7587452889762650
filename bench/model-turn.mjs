/**
 * Our own CPU per turn of a conversation with a model, at turn 100 and at turn 1,000: tools compiled, messages
 * encoded, the request put together, the answer decoded. The bytes of the body are not sent anywhere.
 */
import { loadSource } from './measure.mjs';

const { createModel, fakeBody, createFixedIds } = await loadSource(`
  export { createModel } from './packages/core/src/model/choose-model.js';
  export { fakeBody } from './packages/core/src/testing/fake-model/body.js';
  export { createFixedIds } from './packages/machine/src/testing/fakes.js';
`);

const PAIRS = 31;
const TURNS = 40;
const TARGET = 1.3;

const tools = Array.from({ length: 14 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Does what its name says, and says what it did. '.repeat(6),
  parametersJsonSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'A path.' }, limit: { type: 'integer', minimum: 1 } },
    required: ['path'],
  },
}));
const system = 'You work on files with tools. '.repeat(150);
const output = 'one line of a file, of an ordinary length\n'.repeat(30);
const { signal } = new AbortController();

/** Takes the body without reading it, and answers with a text and a call. */
function createStubHttp(wire) {
  let turn = 0;
  return {
    bytes: 0,
    async request({ body }) {
      this.bytes = body.reduce((sum, chunk) => sum + chunk.byteLength, 0);
      const id = `call_${turn++}`;
      const text = 'I will read the next file and then decide what to change in it.'.split(/(?<= )/);
      const answer = {
        text,
        calls: [{ id, name: 'tool_3', arguments: { path: `src/${id}.ts` } }],
        usage: { inputTokens: 1, outputTokens: 1 },
      };
      const stream = Buffer.from(fakeBody(answer, wire, true));
      const chunks = (async function* () {
        yield stream;
      })();
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        url: '',
        body: chunks,
        close() {},
      };
    },
  };
}

async function createConversation(wire) {
  const http = createStubHttp(wire);
  const { client } = await createModel({
    provider: wire,
    model: 'bench',
    apiKey: 'none',
    environment: {},
    host: { http, clock: { now: () => 0, sleep: async () => undefined }, ids: createFixedIds() },
    offline: () => {
      throw new Error('offline');
    },
  });
  return { http, client, messages: [{ role: 'user', parts: [{ text: 'Mend the build.' }] }] };
}

async function takeTurn({ client, messages }) {
  let parts = [];
  for await (const event of client.stream({ system, messages, tools }, signal)) {
    if (event.type === 'finish') parts = event.parts;
  }
  const { id, name } = parts.find((part) => part.functionCall).functionCall;
  messages.push({ role: 'model', parts });
  messages.push({ role: 'user', parts: [{ functionResponse: { id, name, response: { output } } }] });
}

async function advance(conversation, turns) {
  for (let turn = 0; turn < turns; turn++) await takeTurn(conversation);
}

async function cpuOf(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system: kernel } = process.cpuUsage(before);
  return user + kernel;
}

/** A conversation near turn 100 and one near turn 1,000 take turns, so that a busy machine hits them alike. */
async function comparePair(wire) {
  const [early, late] = [await createConversation(wire), await createConversation(wire)];
  await advance(early, 100 - TURNS / 2);
  await advance(late, 1000 - TURNS / 2);
  globalThis.gc?.();
  const cpu = { early: 0, late: 0 };
  for (let turn = 0; turn < TURNS; turn++) {
    cpu.early += await cpuOf(() => takeTurn(early));
    cpu.late += await cpuOf(() => takeTurn(late));
  }
  const sizes = [early.http.bytes, late.http.bytes];
  return { early: cpu.early / TURNS, late: cpu.late / TURNS, ratio: cpu.late / cpu.early, sizes };
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

for (const wire of ['openai', 'openai-responses', 'anthropic', 'gemini']) {
  await advance(await createConversation(wire), 1500);
  const pairs = [];
  for (let round = 0; round < PAIRS; round++) pairs.push(await comparePair(wire));
  const of = (key) => pairs.map((pair) => pair[key]);
  const ratio = median(of('ratio'));
  const [small, large] = pairs[0].sizes.map((bytes) => `${(bytes / 1024).toFixed(0)} KB`);
  const [least, most] = [Math.min(...of('ratio')), Math.max(...of('ratio'))].map((value) => value.toFixed(2));
  console.log(
    `${wire}: turn 100 ${median(of('early')).toFixed(0)} µs (body ${small}), turn 1,000 ${median(of('late')).toFixed(0)} µs (body ${large}): ` +
      `median of ${PAIRS} pairs ${ratio.toFixed(2)} x (${least} to ${most}), target ${TARGET} x: ${ratio <= TARGET ? 'ok' : 'MISSED'}`,
  );
}
