import type { Race, RaceState, ReviewedWork } from '@toolwright/core/front-end';
import { expect, it } from 'vitest';
import type { Question, Reply } from '../app/question.js';
import { askRace } from './race.js';

const work = { digest: 'd', summary: '1 file changed', files: [], added: 2, removed: 1 };
const state = {
  runners: [1, 2, 3].map((number) => ({
    number,
    check: number === 3 ? null : { passed: number === 1, ended: '', output: '', durationMs: 0 },
    end: { work: number === 3 ? null : work },
  })),
} as unknown as RaceState;
const diff = { kind: 'diff' as const, files: [] };
const race = {
  state,
  reviewed: () =>
    ({
      review: { digest: 'd', summary: '1 file changed', items: [] },
      planned: { diff },
      hunks: async () => null,
    }) as unknown as ReviewedWork,
  compare: async (from: number, to: number) => ({
    diff,
    notShown: [{ path: `${from}-${to}`, why: 'denied' }],
  }),
} as unknown as Race;

/** Answers one question after the other; gives the decision and what was asked. */
async function answering(...replies: (string | null)[]) {
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<Reply | null> => {
    asked.push(question);
    const next = replies.shift() ?? null;
    const [key = '', ...rest] = (next ?? '').split(' ');
    return next === null ? null : { key, text: rest.join(' ') };
  };
  const signal = new AbortController().signal;
  const decision = await askRace(race, { best: 1, others: 'dropped', show: (path) => path, ask, signal });
  return { decision, asked };
}

it('the review of a race offers each session with changes, names the best, and says what becomes of the others', async () => {
  const { decision, asked } = await answering('w');
  expect(decision).toEqual({ kind: 'wait' });
  expect(asked[0]!.choices.map(({ key, label }) => `${key} ${label}`)).toEqual([
    '1 keep session 1: 1 file changed (+2 -1); its check passed; the best; the others are dropped',
    '2 keep session 2: 1 file changed (+2 -1); its check failed; the others are dropped',
    's show the changes of one',
    'd show the difference of two',
    'w decide later: the sessions keep waiting; toolwright apart list shows them',
    'n keep none: all sessions are dropped',
  ]);
});

it('the review of a race shows a session and the difference of two before the choice, and the choice once more before it counts', async () => {
  const { decision, asked } = await answering('s 2', 'd 1 2', 'd 1 3', '2', 'n', '1', 'y');
  expect(decision).toEqual({ kind: 'keep', number: 1, choice: 'all' });
  expect(asked.map(({ title }) => title)).toEqual([
    'Which session do you want to keep?',
    'Session 2: 1 file changed. Which session do you want to keep?',
    'The sessions 1 and 2 do not differ. Which session do you want to keep?',
    'Which session do you want to keep?',
    'Keep what session 2 changed?',
    'Which session do you want to keep?',
    'Keep what session 1 changed?',
  ]);
  expect(asked[2]!.facts).toEqual(['1-2 is not compared: denied']);
  expect(asked[3]!.facts).toEqual(['After d, give the numbers of two sessions that changed something.']);
});

it('the review of a race drops all when the user wants none, and lets them wait when the terminal is gone', async () => {
  expect((await answering('n')).decision).toEqual({ kind: 'drop' });
  expect((await answering(null)).decision).toEqual({ kind: 'wait' });
});
