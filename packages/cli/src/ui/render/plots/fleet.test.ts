import { expect, it } from 'vitest';
import { appearanceOf } from '../../open-front.js';
import { paint } from '../line.js';
import { renderFleet } from './fleet.js';

it('draws a bar for each state, with rate, time left, cost and the last failure', () => {
  const appearance = appearanceOf({ LANG: 'C.UTF-8' }, { color: 'never', linear: false });
  const states = { done: 30, running: 2, parked: 1, queued: 60, failed: 7, poison: 0, cancelled: 0 };
  const look = {
    states,
    usage: { inputTokens: 12_000, outputTokens: 345, cost: 1.234 },
    lastFailure: { title: 'fix it', message: 'The check failed: exit code 1.' },
  };
  const lines = renderFleet(look, { workedMs: 60_000, endedHere: 37, width: 70, appearance });
  expect(lines.map((each) => paint(each, appearance).trimEnd())).toEqual([
    `done           30  ${'█'.repeat(15)}▎`,
    'running         2  █',
    'parked          1  ▌',
    `queued         60  ${'█'.repeat(30)}▋`,
    'failed          7  ███▋',
    '37 tasks a minute · 1 min left · 12,345 tokens · $1.23',
    'last failure: fix it: The check failed: exit code 1.',
  ]);
});

it('breaks what does not fit on a narrow screen, and keeps the reason of the failure in sight', () => {
  const appearance = appearanceOf({}, { color: 'never', linear: false });
  const states = { done: 3, running: 1, parked: 0, queued: 0, failed: 1, poison: 0, cancelled: 0 };
  const look = {
    states,
    usage: { inputTokens: 107_000, outputTokens: 600, cost: 0.15 },
    lastFailure: {
      title: 'Raise the version of mailer',
      message: 'The check failed: exit code 1. And more words than fit.',
    },
  };
  const lines = renderFleet(look, { workedMs: 60_000, endedHere: 4, width: 39, appearance });
  expect(lines.slice(-4).map((each) => paint(each, appearance).trimEnd())).toEqual([
    '4.0 tasks a minute · 15 s left ·',
    '107,600 tokens · $0.15',
    'last failure: Raise the version of',
    'mailer: The check failed: exit code ...',
  ]);
});
