import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.js';
import { createFrames, toFrame } from './frames.js';

function received(chunks: readonly Buffer[]): { messages: JsonObject[]; broken: string[] } {
  const [messages, broken]: [JsonObject[], string[]] = [[], []];
  const frames = createFrames({
    onMessage: (message) => messages.push(message),
    onBroken: (why) => broken.push(why),
  });
  for (const chunk of chunks) frames.add(chunk);
  return { messages, broken };
}

const sent = [{ id: 1, text: 'grüße 🙂' }, { id: 2 }, { id: 3, text: '\r\n\r\nContent-Length: 5' }];
const bytes = Buffer.concat(sent.map(toFrame));

it('messages arrive whole wherever the stream is cut', () => {
  for (let cut = 0; cut <= bytes.byteLength; cut++) {
    const { messages, broken } = received([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(messages).toEqual(sent);
    expect(broken).toEqual([]);
  }
  expect(received([...bytes].map((byte) => Buffer.of(byte))).messages).toEqual(sent);
});

it('the reader of frames takes other headers and any case', () => {
  const text = 'content-length:2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{}';
  expect(received([Buffer.from(text)]).messages).toEqual([{}]);
});

describe('a stream that is no protocol is given up', () => {
  it.each([
    ['a header without a length', 'Hello: 1\r\n\r\n{}', 'it wrote something else than messages'],
    ['noise without end', 'x'.repeat(10_000), 'it wrote something else than messages'],
    ['a huge message', 'Content-Length: 99999999999\r\n\r\n', 'it wrote a message of more than 64 MB'],
    ['a body that is no JSON', 'Content-Length: 3\r\n\r\nabc', 'it wrote a message that is not JSON'],
  ])('%s', (_name, text, why) => {
    const { messages, broken } = received([Buffer.from(text), bytes]);
    expect(messages).toEqual([]);
    expect(broken).toEqual([why]);
  });
});
