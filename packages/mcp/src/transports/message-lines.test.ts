import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFloodGate } from './flood-gate.js';
import { createMessageLines } from './message-lines.js';
import { createTail } from './stderr-tail.js';

function readAll(chunks: readonly Uint8Array[], maxBytes = 1_000_000) {
  const messages: unknown[] = [];
  const noise: string[] = [];
  const lines = createMessageLines(maxBytes, {
    onMessage: (message) => messages.push(message),
    onNoise: (line) => noise.push(line),
  });
  for (const chunk of chunks) lines.add(chunk);
  return { messages, noise };
}

const message = fc.record({
  jsonrpc: fc.constant('2.0'),
  method: fc.string({ unit: 'binary', maxLength: 20 }),
  params: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
});

it('the reader of lines finds every message wherever the chunks end, and whatever stands between them', () => {
  const item = fc.oneof(
    message.map((value) => ({ value, line: JSON.stringify(value) })),
    fc
      .constantFrom('', 'log: ready', '{"level":"info"}', '{"jsonrpc":', '[1,2]')
      .map((line) => ({ value: null, line })),
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 10 }), (items, cuts) => {
      const bytes = Buffer.from(items.map(({ line }) => `${line}\n`).join(''));
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
      const { messages, noise } = readAll(chunks);
      const expected = items.flatMap(({ value }) => (value === null ? [] : [value]));
      expect(messages).toEqual(JSON.parse(JSON.stringify(expected)));
      expect(noise).toEqual(
        items.flatMap(({ value, line }) => (value === null && line !== '' ? [line] : [])),
      );
    }),
    { numRuns: 200 },
  );
});

it('the reader of lines takes several messages in one list, as an older revision allowed', () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', method: 'x' },
  ];
  expect(readAll([Buffer.from(`${JSON.stringify(batch)}\r\n`)]).messages).toEqual(batch);
});

it('the reader of lines refuses a line that does not end', () => {
  const chunks = Array.from({ length: 5 }, () => Buffer.alloc(300, 'x'));
  expect(() => readAll(chunks, 1_000)).toThrow('more than 1000 bytes without an end of line');
});

it('a flood is what comes within ten seconds, not over a long life', () => {
  const clock = createFakeClock();
  const gate = createFloodGate(clock, 100);
  for (let round = 0; round < 5; round++) {
    for (let count = 0; count < 100; count++) expect(gate.admit()).toBe(true);
    clock.advance(10_001);
  }
  const results = Array.from({ length: 300 }, () => gate.admit());
  expect(results.at(-1)).toBe(false);
});

it('the reader of lines keeps whole lines at the end of a stream of any length', () => {
  const tail = createTail(20);
  for (const text of ['first line\n', 'second line\n', 'third\n']) tail.add(Buffer.from(text));
  expect(tail.text()).toBe('second line\nthird\n');
  const short = createTail(20);
  short.add(Buffer.from('all of it\n'));
  expect(short.text()).toBe('all of it\n');
  const flooded = createTail(20);
  for (let line = 0; line < 1_000; line++) flooded.add(Buffer.from(`${line}\n`));
  expect(flooded.text()).toBe('996\n997\n998\n999\n');
});
