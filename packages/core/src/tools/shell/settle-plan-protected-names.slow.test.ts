import { asOrdinaryUser } from '@toolwright/machine/host/sandbox/fixtures/ordinary-user.js';
import { expect, it } from 'vitest';
import { tryProtectedNames } from './fixtures/protected-names.js';

const module = new URL('./fixtures/protected-names.ts', import.meta.url);
const placeholders = [
  '.cursor',
  '.devcontainer',
  '.git',
  '.husky',
  '.idea',
  '.mcp.json',
  '.toolwright',
  '.vscode',
  '.zed',
];

const expected = {
  'a job that makes every missing name': { done: true, made: [], untold: [] },
  'a repository while a job runs': {
    during: [...placeholders, 'src'],
    seenByGit: '',
    before: ['.git', 'src'],
    after: ['.git', 'src'],
  },
  'two jobs of which one ends': { held: true, inside: [], left: ['go', 'new', 'src'] },
  'a user who works meanwhile': {
    quiet: 'one\n[exit code 0]',
    said: expect.stringMatching(/^two\n\[exit code 0\]\n\[job-1: while it ran \.npmrc was made or replaced/),
    next: expect.stringMatching(/\[job-1: while it ran \.idea, \.npmrc were made or replaced/),
    inside: ['settings.json'],
  },
  'a workspace inside a repository': { stands: false, told: true },
  'a command whose changes can not be shown first': {
    answer: expect.stringMatching(
      /workspace itself: .*\n\[not kept: \.npmrc: yolo mode asks before writing \.npmrc \(/s,
    ),
    left: ['new', 'state'],
  },
  'commands of git as jobs': { added: 'A  a\n', made: [] },
};

it.concurrent.each([
  ['whoever runs the tests, root included', tryProtectedNames],
  ['an ordinary user', () => asOrdinaryUser<Record<string, unknown>>(module, 'tryProtectedNames')],
])('what a job can do to protected names, for %s', async (who, attempt) => {
  const outcomes = await attempt();
  if ('untried' in outcomes)
    return console.log(`evidence: ${who}: not tried, ${String(outcomes['untried'])}`);
  for (const [name, outcome] of Object.entries(outcomes))
    console.log(`evidence: ${who} | ${name} | ${JSON.stringify(outcome)}`);
  expect(outcomes).toEqual(expected);
});
