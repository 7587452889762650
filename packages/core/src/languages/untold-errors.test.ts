import { expect, it } from 'vitest';
import { createUntoldErrors } from './untold-errors.js';

const error = (message: string) => ({
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
  message,
  code: '1',
});
const noted = (path: string, ...messages: string[]) => {
  const errors = messages.map(error);
  return { path, errors, fresh: errors };
};
const open = () => createUntoldErrors({ hidden: () => false, show: (path) => path.slice(1) });
const server = 's';
const late = { andAgents: false, isLate: true };

it('errors are told to whoever caused them, once', () => {
  const untold = open();
  untold.note(noted('/a.ts', 'of the conversation'), { server, author: undefined });
  untold.note(noted('/b.ts', 'of the agent'), { server, author: 'helper' });
  const messages = (author?: string) =>
    untold.tell({ author, ...late }).flatMap(({ errors }) => errors.map(({ message }) => message));
  expect(messages('helper')).toEqual(['of the agent']);
  expect(messages()).toEqual(['of the conversation']);
  expect([messages(), messages('helper')]).toEqual([[], []]);
});

it('what a subagent was not told any more is told to the conversation', () => {
  const untold = open();
  untold.note(noted('/b.ts', 'of the agent'), { server, author: 'helper' });
  expect(untold.tell({ author: undefined, andAgents: true, isLate: true })).toMatchObject([{ total: 1 }]);
});

it('an error that somebody else has mended is not told', () => {
  const untold = open();
  untold.note(noted('/a.ts', 'broken'), { server, author: undefined });
  untold.note({ path: '/a.ts', errors: [], fresh: [] }, { server, author: 'helper' });
  expect(untold.tell({ author: undefined, ...late })).toEqual([]);
});
