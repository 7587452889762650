import { expect, it } from 'vitest';
import { limitWarnings } from './limits.js';

const DAY = 24 * 60 * 60 * 1000;
const one = (id: string, days: number, bytes: number, prompt = '') => ({
  id,
  ageMs: days * DAY,
  size: { bytes, entries: 1, isPartial: false },
  about: { id, session: 's', workspace: '/w', roots: ['/w'], prompt, startedAt: '2030-01-01T00:00:00.000Z' },
});
const limits = { bytes: 2048, ageMs: 30 * DAY };

it('nothing is said below the limits', () => {
  expect(limitWarnings([])).toEqual([]);
  expect(limitWarnings([one('a', 30, 1024), one('b', 1, 1024)], limits)).toEqual([]);
});

it('too much room is told with the largest one and the commands', () => {
  expect(limitWarnings([one('a', 1, 1024), one('b', 1, 2048)], limits)).toEqual([
    'Sessions apart take up 3 kB, more than 2 kB; the largest is b. To look at it: toolwright apart show b. To remove it: toolwright apart drop b. All are listed by toolwright apart list.',
  ]);
});

it('old ones are told with the oldest one, its prompt and the commands', () => {
  expect(limitWarnings([one('a', 31, 0)], limits)).toEqual([
    'A session apart is older than 30 days; the oldest is a. To look at it: toolwright apart show a. To remove it: toolwright apart drop a. All are listed by toolwright apart list.',
  ]);
  expect(limitWarnings([one('a', 31, 0), one('b', 40, 0, `Make it\n${'so '.repeat(20)}`)], limits)).toEqual([
    `2 sessions apart are older than 30 days; the oldest is b ("Make it so so so so so so so so so so so…"). To look at it: toolwright apart show b. To remove it: toolwright apart drop b. All are listed by toolwright apart list.`,
  ]);
});
