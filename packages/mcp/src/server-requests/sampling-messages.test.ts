import { expect, it } from 'vitest';
import { readSampleMessages } from './sampling-messages.js';

const words = (text: string) => ({ type: 'text', text });
const use = (id: unknown, name: unknown = 'find') => ({ type: 'tool_use', id, name, input: { for: 'milk' } });
const result = (toolUseId: string, more: object = {}) => ({
  type: 'tool_result',
  toolUseId,
  content: [words('found')],
  ...more,
});
const user = (...content: object[]) => ({ role: 'user', content });
const model = (...content: object[]) => ({ role: 'assistant', content });

it('messages without calls are read as they always were', () => {
  expect(readSampleMessages([{ role: 'user', content: 'Hi' }, model(words('Hello.')), 7])).toEqual([
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [{ text: 'Hello.' }] },
  ]);
});

it('several calls of one message are answered in the next, in whatever order', () => {
  const [, , answers] = readSampleMessages([
    user(words('Hi')),
    model(use('a'), use('b', 'count')),
    user(result('b', { isError: true }), result('a')),
    model(words('Done.')),
  ]);
  expect(answers?.parts).toEqual([
    { functionResponse: { id: 'b', name: 'count', response: { error: 'found' }, parts: undefined } },
    { functionResponse: { id: 'a', name: 'find', response: { output: 'found' }, parts: undefined } },
  ]);
});

it('a result without text is its structured content, and its media go along', () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const [, answers] = readSampleMessages([
    model(use('a')),
    user(
      result('a', {
        content: [{ type: 'image', data: png, mimeType: 'image/png' }],
        structuredContent: { count: 1 },
      }),
    ),
  ]);
  expect(answers?.parts).toMatchObject([
    {
      functionResponse: {
        response: { output: '{"count":1}' },
        parts: [{ inlineData: { mimeType: 'image/png' } }],
      },
    },
  ]);
});

it.each([
  ['a call in a message of the user', [user(use('a'))], 'a call is in a message of the user'],
  [
    'a result in a message of the model',
    [model(use('a')), model(result('a'))],
    'a result is in a message of the model',
  ],
  ['a call without an id', [model(use(undefined))], 'a call has no usable id or name'],
  ['a call with a hidden name', [model(use('a', 'fi\u200bnd'))], 'a call has no usable id or name'],
  ['two calls with one id', [model(use('a'), use('a'))], 'two calls have the id "a"'],
  [
    'one result of two',
    [model(use('a'), use('b', 'count')), user(result('a'))],
    'the call of "count" has no result',
  ],
  [
    'the same result twice',
    [model(use('a')), user(result('a'), result('a'))],
    'the result "a" belongs to no call before it',
  ],
  ['a call at the very end', [user(words('Hi')), model(use('a'))], 'the call of "find" has no result'],
  [
    'eleven rounds',
    Array.from({ length: 11 }, (_, round) => [model(use(`c${round}`)), user(result(`c${round}`))]).flat(),
    'it has more than 10 rounds of calls',
  ],
])('%s is refused', (_what, messages, why) => {
  expect(() => readSampleMessages(messages)).toThrow(`Invalid sampling request: ${why}.`);
});
