import { expect, it } from 'vitest';
import { abortReason, describeAbort, messageOf } from './errors.js';

it.each([
  [new Error('it broke'), 'it broke'],
  ['a word', 'a word'],
  [{ kind: 'user' }, 'cancelled by the user'],
  [{ kind: 'limit', message: 'the disk is full' }, 'the disk is full'],
  [{ kind: 'constructor' }, '[object Object]'],
])('the message of %j is %j', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});

it.each([
  [{ kind: 'timeout' }, 'timeout', 'stopped at the time limit'],
  [undefined, 'user', 'cancelled by the user'],
  [new DOMException('late', 'TimeoutError'), 'timeout', 'stopped at the time limit'],
  [{ kind: 'toString' }, 'user', 'cancelled by the user'],
])('a signal that was aborted with %j tells %s', (given, kind, sentence) => {
  const signal = AbortSignal.abort(given);
  expect(abortReason(signal).kind).toBe(kind);
  expect(describeAbort(signal)).toBe(sentence);
});
