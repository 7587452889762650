import { expect, it } from 'vitest';
import { appearanceOf } from '../open-front.js';
import { renderFleet } from './fleet.js';
import { paint } from './line.js';

it('draws a bar for each state, with rate, time left, cost and the last failure', () => {
  const appearance = appearanceOf({}, { color: 'never', linear: false });
  const states = { done: 30, running: 2, parked: 1, queued: 60, failed: 7, poison: 0, cancelled: 0 };
  const look = {
    states,
    usage: { inputTokens: 12_000, outputTokens: 345, cost: 1.234 },
    lastFailure: { title: 'fix it', message: 'The check failed: exit code 1.' },
  };
  const lines = renderFleet(look, { elapsedMs: 60_000, endedHere: 37, width: 70, appearance });
  expect(lines.map((each) => paint(each, appearance).trimEnd())).toEqual([
    `done           30  ${'█'.repeat(16)}`,
    'running         2  ██',
    'parked          1  █',
    `queued         60  ${'█'.repeat(31)}`,
    'failed          7  ████',
    '37 tasks a minute · 1 min left · 12,345 tokens · $1.23',
    'last failure: fix it: The check failed: exit code 1.',
  ]);
});
