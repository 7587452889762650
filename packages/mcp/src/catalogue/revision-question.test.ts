import { expect, it } from 'vitest';
import { isSpared, sparedAfter } from './revision-question.js';

const day = 24 * 3_600_000;
const at = 100 * day;
const spared = { at, version: '1.0' };

it.each([
  ['asked when nothing is remembered', null, at, false],
  ['spared when it did not take the question a day ago', { spared }, at + day, true],
  ['asked when that was more than a week ago', { spared }, at + 8 * day, false],
  ['asked when the clock was set back since', { spared }, at - day, false],
])('a server is %s', (_what, record, now, expected) => {
  expect(isSpared(record, now)).toBe(expected);
});

it.each([
  [
    'that took the question is asked again',
    { fearsQuestion: false, version: '1.0', at: at + day },
    undefined,
  ],
  [
    'that was spared keeps the day on which it was found out',
    { fearsQuestion: true, version: '1.0', at: at + day },
    spared,
  ],
  ['of another version is asked again', { fearsQuestion: true, version: '1.1', at: at + day }, undefined],
  [
    'that was asked again after a week and did not take it is spared anew',
    { fearsQuestion: true, version: '1.0', at: at + 8 * day },
    { at: at + 8 * day, version: '1.0' },
  ],
])('a server %s', (_what, session, expected) => {
  expect(sparedAfter({ spared }, session)).toEqual(expected);
});

it('the first session that did not take the question is remembered with its version', () => {
  expect(sparedAfter(null, { fearsQuestion: true, version: '2', at })).toEqual({ at, version: '2' });
});
