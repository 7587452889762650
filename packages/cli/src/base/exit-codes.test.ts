import { expect, it } from 'vitest';
import { exitCodeOfAll, exitCodes } from './exit-codes.js';

it('several steps end with the code that docs/headless.md names first, whatever their order', () => {
  const { done, failure, limit, nobodyToAsk, parked, cancelled } = exitCodes;
  expect(exitCodeOfAll([])).toBe(done);
  expect(exitCodeOfAll([done, nobodyToAsk, failure])).toBe(failure);
  expect(exitCodeOfAll([nobodyToAsk, parked, limit])).toBe(limit);
  expect(exitCodeOfAll([failure, cancelled])).toBe(cancelled);
  expect(exitCodeOfAll([done, nobodyToAsk])).toBe(nobodyToAsk);
});
