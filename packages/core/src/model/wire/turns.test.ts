import type { Message } from '@toolwright/machine/base/content.js';
import { describe, expect, it } from 'vitest';
import { closePending, pairMessage, startPairing, type WireTurn } from './turns.js';

const rules = { wireId: (id: string) => id.replace(/[^a-z0-9-]/gi, '_') };

function turns(...messages: Message[]): WireTurn[] {
  const state = startPairing();
  return messages.map((message) => pairMessage(message, state, rules));
}

const calls = (...given: [string | undefined, string][]): Message => ({
  role: 'model',
  parts: given.map(([id, name]) => ({
    functionCall: { ...(id === undefined ? {} : { id }), name, args: {} },
  })),
});
const results = (...given: [string | undefined, string, string?][]): Message => ({
  role: 'user',
  parts: given.map(([id, name, output = 'x']) => ({
    functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output } },
  })),
});
const ids = (turn: WireTurn | undefined) => turn?.items.map((item) => ('id' in item ? item.id : item.kind));

describe('calls and results of a history', () => {
  it('keep ids that fit', () => {
    const [first, second] = turns(calls(['a', 'x'], ['b', 'y']), results(['a', 'x'], ['b', 'y']));
    expect([ids(first), ids(second)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('are paired by name and order where ids are missing', () => {
    const [first, second] = turns(
      calls([undefined, 'x'], [undefined, 'x'], [undefined, 'y']),
      results([undefined, 'x', '1'], [undefined, 'y', '3'], [undefined, 'x', '2']),
    );
    expect(ids(first)).toEqual(['call-1', 'call-2', 'call-3']);
    expect(ids(second)).toEqual(['call-1', 'call-3', 'call-2']);
  });

  it('get new ids where one was used in an earlier turn', () => {
    const [, , third, fourth] = turns(
      calls(['a', 'x']),
      results(['a', 'x']),
      calls(['a', 'x']),
      results(['a', 'x']),
    );
    expect(ids(third)).toEqual(['a-1']);
    expect(ids(fourth)).toEqual(['a-1']);
  });

  it('take the form the provider wants', () => {
    const [first, second] = turns(calls(['a|b:c', 'x']), results(['a|b:c', 'x']));
    expect([ids(first), ids(second)]).toEqual([['a_b_c'], ['a_b_c']]);
  });
});

it('the encoder of turns answers a call that never got a result before the next message', () => {
  const [, second] = turns(calls(['a', 'x'], ['b', 'y']), { role: 'user', parts: [{ text: 'Go on.' }] });
  expect(second?.interrupted).toMatchObject([
    {
      id: 'a',
      name: 'x',
      failed: true,
      text: expect.stringContaining('The call was interrupted before it gave a result.'),
    },
    { id: 'b', name: 'y' },
  ]);
});

it('the encoder of turns waits for results that come in several messages', () => {
  const [, second, third] = turns(calls(['a', 'x'], ['b', 'y']), results(['a', 'x']), results(['b', 'y']));
  expect([second?.interrupted, third?.interrupted]).toEqual([[], []]);
  expect(ids(third)).toEqual(['b']);
});

it('the encoder of turns turns a result without a call into text', () => {
  const [first] = turns(results(['gone', 'read_file', 'the content']));
  expect(first?.items).toEqual([
    { kind: 'text', text: 'Result of an earlier call of read_file:\nthe content' },
  ]);
});

it('the encoder of turns says what failed and keeps structured responses as JSON', () => {
  const state = startPairing();
  pairMessage(calls(['a', 'x'], ['b', 'x'], ['c', 'x']), state, rules);
  const { items } = pairMessage(
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'x', response: { error: 'No.' } } },
        { functionResponse: { id: 'b', name: 'x', response: { output: 'Yes.', note: 1 } } },
      ],
    },
    state,
    rules,
  );
  expect(items).toMatchObject([
    { text: 'No.', failed: true },
    { text: '{"output":"Yes.","note":1}', failed: false },
  ]);
  expect(closePending(state).map(({ id }) => id)).toEqual(['c']);
});
