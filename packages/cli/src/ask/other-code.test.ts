import { expect, it } from 'vitest';
import { askYesOrNo, yesNoQuestion } from '../app/yes-no.js';
import { codeQuestion } from './other-code.js';

const path = '/work/a.js\nunchanged: everything else';
const other = { server: 'notes', changes: [{ path, change: 'changed' as const }], code: {} };

it('the question names each file on one line, whatever is in its name', () => {
  expect(yesNoQuestion(codeQuestion(other)).facts).toEqual([
    'changed: /work/a.js␊unchanged: everything else',
  ]);
});

it('the question counts the files that it does not name', () => {
  const changes = Array.from({ length: 25 }, () => other.changes[0]!);
  expect(codeQuestion({ ...other, changes }).facts?.slice(19)).toEqual([`changed: ${path}`, 'and 5 more']);
});

it('everything but a yes is taken for a no', async () => {
  const answers = ['y', 'n', null].map((key) =>
    askYesOrNo(
      codeQuestion(other),
      async () => (key === null ? null : { key, text: '' }),
      new AbortController().signal,
    ),
  );
  expect(await Promise.all(answers)).toEqual([true, false, false]);
});
