import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256OfText } from './sha256.js';

const expected = (text: string) => createHash('sha256').update(text).digest('hex');

it.each([
  '',
  'abc',
  '/home/me/projekt/größe',
  'x'.repeat(55),
  'x'.repeat(56),
  'x'.repeat(64),
  '😀'.repeat(100),
])('sha256 is the digest that everyone else has of %j', (text) => {
  expect(sha256OfText(text)).toBe(expected(text));
});

it("the digest is the same as Node's for any text of any length", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256OfText(text)).toBe(expected(text));
    }),
    { numRuns: 500 },
  );
});
