import { expect, it } from 'vitest';
import { askAboutCode, codeLines } from './other-code.js';

const changes = [{ path: '/work/a.js\nunchanged: everything else', change: 'changed' as const }];

it('names each file on one line, whatever is in its name', () => {
  expect(codeLines(changes)).toEqual(['changed: /work/a.js␊unchanged: everything else']);
});

it('asks with those lines, and takes everything but a yes for a no', async () => {
  const facts: unknown[] = [];
  const answers = ['y', 'n', null].map((key) =>
    askAboutCode(
      { server: 'notes', changes, code: {} },
      async (question) => {
        facts.push(question.facts);
        return key === null ? null : { key, text: '' };
      },
      new AbortController().signal,
    ),
  );
  expect(await Promise.all(answers)).toEqual([true, false, false]);
  expect(facts[0]).toEqual(['changed: /work/a.js␊unchanged: everything else']);
});
