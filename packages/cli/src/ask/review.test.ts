import type { ReviewItem } from '@toolwright/core/front-end';
import { expect, it } from 'vitest';
import type { Question } from '../app/question.js';
import { renderQuestion } from '../ui/render/asking/question.js';
import { textOfLine } from '../ui/render/line.js';
import { askReview, askReviewOrDrop } from './review.js';
import { hunkQuestion } from './review-questions.js';

const item = (path: string, more: Partial<ReviewItem> = {}): ReviewItem => ({
  path,
  change: 'modify',
  added: 1,
  removed: 0,
  warnings: [],
  unified: `+${path}\n`,
  ...more,
});
const inGit = (name: string) =>
  item(`/w/.git/${name}`, { repository: '/w/.git', warnings: ['protected: the history of git'] });

/** Answers the questions one after the other, and gives their titles with what was chosen. */
async function review(items: ReviewItem[], replies: string[]) {
  const asked: Question[] = [];
  const choice = await askReview(
    { digest: '', summary: 'some files changed', items },
    {
      title: 'Keep it all?',
      show: (path) => path.slice('/w/'.length),
      hunks: async () => null,
      ask: async (question) => {
        asked.push(question);
        const key = replies.shift();
        return key === undefined ? null : { key, text: '' };
      },
      signal: new AbortController().signal,
    },
  );
  const chosen = choice === 'all' ? choice : [...choice.keys()].map((path) => path.slice('/w/'.length));
  return { chosen, asked, titles: asked.map(({ title }) => String(title)) };
}

it('all changes of a git repository are asked about once, and kept together', async () => {
  const items = [inGit('HEAD'), item('/w/a.txt'), inGit('index'), item('/w/b.txt')];
  const { chosen, titles, asked } = await review(items, ['s', 'y', 'n', 'y']);
  expect(titles).toEqual([
    'Keep it all?',
    'Keep the 2 changes of .git? (1 of 3)',
    'Keep a.txt? (2 of 3)',
    'Keep b.txt? (3 of 3)',
  ]);
  expect(asked[1]).toMatchObject({
    warnings: ['Check first: .git/HEAD, .git/index: protected: the history of git.'],
    facts: ['A git repository is kept as a whole.'],
    diff: [{ path: '.git/HEAD' }, { path: '.git/index' }],
  });
  expect(chosen).toEqual(['.git/HEAD', '.git/index', 'b.txt']);
});

it('what would be deleted and what runs later stand first in a review', async () => {
  const items = [
    item('/w/old', { change: 'remove-folder' }),
    item('/w/old/a', { change: 'delete' }),
    item('/w/.envrc', { change: 'create', warnings: ['protected: direnv runs it'] }),
  ];
  const { asked } = await review(items, ['s', 'n', 'n', 'y']);
  expect(asked[0]).toMatchObject({
    warnings: ['Deletes 1 file and 1 folder: old/a, old/', 'Check first: .envrc: protected: direnv runs it.'],
    facts: ['In all: some files changed.'],
  });
  expect(asked[3]?.warnings).toEqual(['Check first: protected: direnv runs it.']);
});

it('a part of a file is shown as a change, with its counts and line numbers', () => {
  const unified = '@@ -5,2 +7,3 @@\n a\n-b\n+c\n+d';
  const hunk = { unified, range: { start: 5, end: 6, newStart: 7, newEnd: 9 } };
  const question = hunkQuestion(hunk, { name: 'src/a.ts', number: 1, count: 2 });
  expect(renderQuestion(question, 60).map(textOfLine)).toEqual([
    '? Keep part 1 of 2 of src/a.ts?',
    '  modify src/a.ts +2 -1',
    '  7   a',
    '  6 - b',
    '  8 + c',
    '  9 + d',
  ]);
});

it('the rest is kept or left out at any file', async () => {
  const items = [item('/w/a.txt'), inGit('HEAD'), item('/w/b.txt'), inGit('index')];
  expect((await review(items, ['s', 'n', 'a'])).chosen).toEqual(['.git/HEAD', '.git/index', 'b.txt']);
  expect((await review(items, ['s', 'y', 'd'])).chosen).toEqual(['a.txt']);
});

it('nothing is kept when a question is not answered', async () => {
  expect((await review([item('/w/a.txt'), item('/w/b.txt')], ['s', 'y'])).chosen).toEqual([]);
});

it('a review that can be left for later drops only where the user says so', async () => {
  const ask = (key: string | null) =>
    askReviewOrDrop(
      { digest: '', summary: 'some files changed', items: [item('/w/a.txt')] },
      {
        title: 'Keep it all?',
        leave: 'later',
        drop: 'drop all',
        facts: ['A job runs.'],
        show: (path) => path,
        hunks: async () => null,
        async ask({ choices, facts, refusal }) {
          expect(choices.map(({ label }) => String(label)).slice(-2)).toEqual(['drop all', 'later']);
          expect([facts.map(String), refusal]).toEqual([['In all: some files changed.', 'A job runs.'], 'n']);
          return key === null ? null : { key, text: '' };
        },
        signal: new AbortController().signal,
      },
    );
  expect([await ask('d'), await ask('y')]).toEqual(['drop', 'all']);
  expect([await ask('n'), await ask(null)]).toEqual([new Map(), new Map()]);
});

it('a deletion is asked about as one, so that keeping it is not taken for keeping the file', async () => {
  const items = [item('/w/old', { change: 'remove-folder' }), item('/w/old/a', { change: 'delete' })];
  const { asked, titles } = await review(items, ['s', 'n', 'n']);
  expect(titles.slice(1)).toEqual([
    'Keep the deletion of old? (1 of 2)',
    'Keep the deletion of old/a? (2 of 2)',
  ]);
  const labels = asked.slice(1).map(({ choices }) => choices.slice(0, 2).map(({ label }) => String(label)));
  expect(labels).toEqual([
    ['keep it: the folder is deleted', 'leave it out: the folder stays'],
    ['keep it: the file is deleted', 'leave it out: the file stays'],
  ]);
  expect(asked[1]?.facts).toEqual(['A folder stays while anything in it is left out.']);
});
