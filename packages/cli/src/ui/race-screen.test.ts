import type { WriteStream } from 'node:tty';
import type { RaceEvent, RaceState } from '@toolwright/core/front-end';
import { expect, it } from 'vitest';
import { openRaceScreen } from './race-screen.js';

const state: RaceState = {
  runners: [1, 2].map((number) => ({
    number,
    model: 'a-model',
    phase: 'working',
    id: null,
    turns: number,
    tokens: 0,
    files: [],
    refused: 0,
    startedAtMs: 0,
    endedAtMs: null,
    check: null,
    end: null,
  })),
};
const begun: RaceEvent = { type: 'session-begun', number: 1, id: null, model: 'a-model' };

function open(environment: Record<string, string>, { isTTY = true } = {}) {
  let written = '';
  const output = {
    isTTY,
    columns: 80,
    rows: 24,
    write: (text: string) => (written += text),
    on: () => undefined,
    off: () => undefined,
  } as unknown as WriteStream;
  const screen = openRaceScreen({
    input: null,
    output,
    environment: { LANG: 'C.UTF-8', NO_COLOR: '1', ...environment },
    isChecked: false,
    now: () => 5_000,
    onInterrupt: () => undefined,
  });
  return { screen, written: () => written };
}

it('the screen of a race draws the table in place, prints what is said above it, and leaves nothing of the table at the end', async () => {
  const { screen, written } = open({ TERM: 'xterm' });
  screen.say('2 of 3 sessions run at a time.');
  screen.show(begun, state);
  for (let tries = 0; !written().includes('1 │ working') && tries < 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(written()).toContain('2 of 3 sessions run at a time.\x1b[K\r\n');
  expect(written()).toContain('2 │ working │     2 │     0 │      0 │ 0:05 │       0\x1b[K');
  screen.close();
  // The cursor goes from the last of the five lines to the first, and all of them are removed.
  expect(written()).toMatch(/\r\x1b\[4A\x1b\[J\x1b\[\?25h$/);
});

it.each([
  ['into a pipe', { TERM: 'xterm' }, false],
  ['on a terminal that can not move its cursor', { TERM: 'dumb' }, true],
])('the screen of a race prints plain lines %s', (_, environment, isTTY) => {
  const { screen, written } = open(environment, { isTTY });
  screen.say('2 of 3 sessions run at a time.');
  screen.show(begun, state);
  screen.close();
  expect(written()).toBe('2 of 3 sessions run at a time.\n1: working with a-model\n');
});
