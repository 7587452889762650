import type { Message, Part } from '@toolwright/machine/base/content.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectToFake, hear } from '../testing/fake-model/ask.js';
import type { WireName } from '../testing/fake-model/body.js';
import { type FakeModelServer, startFakeModelServer } from '../testing/fake-model-server.js';

const TURNS = 50;
let server: FakeModelServer;

beforeAll(async () => {
  server = await startFakeModelServer();
});

afterAll(() => server.close());

const tools = ['read_file', 'glob', 'grep_search', 'edit', 'write_file', 'run_shell_command'].map((name) => ({
  name,
  description: `${name}: does what its name says, and a little more. `.repeat(8),
  parametersJsonSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'A path.' }, limit: { type: 'integer' } },
    required: ['path'],
  },
}));

/** Bytes from the start that two requests share. */
function commonStart(a: Buffer, b: Buffer): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a[at] === b[at]) at++;
  return at;
}

/** The share is taken of the previous request, because what a request adds can't be equal to anything. */
it.each<[WireName, number]>([
  ['openai', 0.999],
  ['openai-responses', 0.999],
  ['anthropic', 0.95],
  ['gemini', 0.999],
])('%s requests begin with the bytes of the request before', async (wire, least) => {
  server.requests.length = 0;
  const client = await connectToFake(server, wire);
  const messages: Message[] = [{ role: 'user', parts: [{ text: 'Mend the build.' }] }];
  for (let turn = 0; turn < TURNS; turn++) {
    server.answer({
      text: `Step ${turn}.`,
      calls: [{ id: `c${turn}`, name: 'read_file', arguments: { path: `src/${turn}.ts` } }],
    });
    const { events } = await hear(client, { system: 'You work on files. '.repeat(100), messages, tools });
    const finish = events.at(-1);
    if (finish?.type !== 'finish') throw new Error('no finish');
    const response: Part = {
      functionResponse: {
        id: `c${turn}`,
        name: 'read_file',
        response: { output: `line of ${turn}\n`.repeat(40) },
      },
    };
    messages.push({ role: 'model', parts: finish.parts }, { role: 'user', parts: [response] });
  }
  const bodies = server.requests.map(({ bytes }) => bytes);
  expect(bodies).toHaveLength(TURNS);
  let equal = 0;
  let total = 0;
  let previous = 0;
  for (let turn = 1; turn < TURNS; turn++) {
    const before = bodies[turn - 1]!;
    const same = commonStart(before, bodies[turn]!);
    equal += same;
    total += bodies[turn]!.length;
    previous += before.length;
  }
  const ofRequest = equal / total;
  const ofPrevious = equal / previous;
  console.log(
    `${wire}: over ${TURNS} turns ${(ofRequest * 100).toFixed(2)} % of a request's bytes equal the previous request's ` +
      `(${(ofPrevious * 100).toFixed(3)} % of the previous request is repeated)`,
  );
  expect(ofPrevious).toBeGreaterThan(least);
});
