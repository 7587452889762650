import { expect, it } from 'vitest';
import { mendAnswer } from './mend-answer.js';

const answer = (more: object) => ({ jsonrpc: '2.0', id: 1, ...more });

it('mending leaves alone what is in order', () => {
  const request = { jsonrpc: '2.0', method: 'ping' };
  const failure = answer({ error: { code: -32601, message: 'no such method' } });
  const success = answer({ result: {} });
  expect([request, failure, success].map(mendAnswer)).toEqual([request, failure, success]);
});

it('mending takes a result beside an error that is null', () => {
  expect(mendAnswer(answer({ result: { a: 1 }, error: null }))).toEqual(answer({ result: { a: 1 } }));
});

it.each([
  answer({ result: null }),
  answer({ result: [] }),
  answer({ result: 'done' }),
  answer({ error: 'no' }),
  answer({ error: { code: '1', message: 'x' } }),
  answer({}),
])('mending makes of %j an error that quotes it', (message) => {
  expect(mendAnswer(message)).toMatchObject({
    id: 1,
    error: { message: `it answered with neither a result nor an error: ${JSON.stringify(message)}` },
  });
});

it('mending knows nobody who asked for an answer without a number', () => {
  expect(mendAnswer({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } })).toBeNull();
});
