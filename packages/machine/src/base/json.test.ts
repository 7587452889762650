import { expect, it } from 'vitest';
import { cutDeep, DEEPEST, isDeeperThan } from './json.js';

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`);

it('the reader of JSON tells how deep a value is, however deep it is', () => {
  expect(isDeeperThan(nested(DEEPEST), DEEPEST)).toBe(false);
  expect(isDeeperThan(nested(DEEPEST + 2), DEEPEST)).toBe(true);
  expect(isDeeperThan(nested(1_000_000), DEEPEST)).toBe(true);
  expect(isDeeperThan('text', 0)).toBe(false);
});

it('the reader of JSON leaves alone what is not too deep, and makes the rest fit to be printed', () => {
  const fine = { a: [1, { b: null }] };
  expect(cutDeep(fine)).toBe(fine);
  const cut = cutDeep(nested(1_000_000));
  expect(isDeeperThan(cut, DEEPEST)).toBe(true);
  expect(isDeeperThan(cut, DEEPEST + 1)).toBe(false);
  expect(JSON.stringify(cut)).toContain('"…"');
});

it('the reader of JSON keeps a key called __proto__ a key', () => {
  const value = JSON.parse(`{"__proto__":${'['.repeat(100)}${']'.repeat(100)}}`);
  expect(Object.keys(cutDeep(value))).toEqual(['__proto__']);
});
