import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { asOrdinaryUser } from '../fixtures/ordinary-user.js';
import { trySituations } from '../fixtures/situations.js';

const module = new URL('../fixtures/situations.js', import.meta.url);

const expected = {
  'a plain command': {
    exitCode: 7,
    output: expect.stringMatching(/out\n|err\n/),
    refusedHosts: [],
    made: 'text\n',
  },
  'a read-only workspace': { output: expect.stringContaining('one\n'), names: ['a'] },
  'two commands that share a temporary folder': { same: 'kept\n', other: 1 },
  'a workspace that is the home': {
    said: expect.arrayContaining(['content', 'cat: .netrc: Permission denied', 'long']),
    written: false,
  },
  'a program in the home that PATH names': { output: 'it runs', kept: true },
  'a commit in a repository whose hooks are protected': {
    commit: 'Ann:one',
    hook: false,
    pager: false,
    placeholder: false,
  },
  'an overlay of the workspace in an outer namespace': {
    output: 'UID\ntwo\nnew\n',
    lower: [['a'], 'one\n'],
    upper: ['a', 'b'],
  },
  'a parent that is killed': { before: true, after: false },
};

test.each([
  ['whoever runs the tests, root included', () => trySituations(tmpdir())],
  ['an ordinary user', () => asOrdinaryUser<Record<string, unknown>>(module, 'trySituations')],
])('what people do works and stays confined for %s', async (who, attempt) => {
  const told = await attempt();
  if ('untried' in told) {
    console.log(`evidence: ${who}: not tried, ${String(told['untried'])}`);
    return;
  }
  for (const [name, outcome] of Object.entries(told))
    console.log(`evidence: ${who} | ${name} | ${JSON.stringify(outcome)}`);
  expect(told).toEqual(expected);
});
