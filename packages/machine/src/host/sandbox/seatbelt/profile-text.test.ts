import { expect, test } from 'vitest';
import type { Profile } from '../sandbox.js';
import { inside } from './open-seatbelt.js';
import { type SeatbeltSurroundings, seatbeltProfile } from './profile-text.js';

const surroundings: SeatbeltSurroundings = {
  home: '/Users/ann',
  stateFolder: '/Users/ann/.toolwright',
  temporaryFolder: '/Users/ann/.toolwright/stage/tmp',
  toolchains: ['/Users/ann/.nvm'],
  proxyPort: 4123,
  fileSystem: { names: () => [] },
};
const usual: Profile = { workspace: 'writable', roots: ['/Users/ann/app'], network: 'off' };

/** The verdict of the rules, as the system reads them: the last one that fits. */
function verdict(text: string, action: string, path: string): string {
  let found = 'deny';
  for (const [, kind = '', rest = ''] of text.matchAll(/^\((allow|deny) (.*)\)$/gm)) {
    const actions = rest.split(' (')[0]?.split(' ') ?? [];
    const places = [...rest.matchAll(/\((subpath|literal) "((?:[^"\\]|\\.)*)"\)/g)];
    const fits = actions.some(
      (each) => each === action || (each.endsWith('*') && action.startsWith(each.slice(0, -1))),
    );
    const isHere = places.some(([, how, raw = '']) => {
      const place = raw.replace(/\\(.)/g, '$1');
      return path === place || (how === 'subpath' && path.startsWith(`${place}/`));
    });
    if (fits && isHere) found = kind;
  }
  return found;
}

const protectedProfile: Profile = {
  ...usual,
  protectedPaths: ['/Users/ann/app/.git/hooks', '/Users/ann/app/.vscode/', '/Users/ann/app/.mcp.json'],
  protectedIfThere: ['/Users/ann/app/.npmrc'],
  hidden: ['/Users/ann/app/.env', '/Users/ann/app/sub/.env'],
  readable: ['/Users/ann/.toolwright/output/1'],
};

test.each<[string, string, string]>([
  ['file-read-data', '/usr/bin/git', 'allow'],
  ['file-write-data', '/usr/bin/git', 'deny'],
  ['file-read-data', '/Users/ann/.nvm/node', 'allow'],
  ['file-write-data', '/Users/ann/.nvm/node', 'deny'],
  ['file-read-data', '/Users/ann/notes.txt', 'deny'],
  ['file-read-data', '/Users/ann/.ssh/id', 'deny'],
  ['file-write-create', '/Users/ann/app/new', 'allow'],
  ['file-read-data', '/Users/ann/app/.env', 'deny'],
  ['file-write-create', '/Users/ann/app/.git/hooks/pre-commit', 'deny'],
  ['file-write-unlink', '/Users/ann/app/.git', 'deny'],
  ['file-write-unlink', '/Users/ann/app', 'deny'],
  ['file-write-unlink', '/Users/ann/app/sub', 'deny'],
  ['file-write-create', '/Users/ann/app/sub/new', 'allow'],
  ['file-write-create', '/Users/ann/app/.git/index.lock', 'allow'],
  ['file-write-create', '/Users/ann/app/.mcp.json', 'deny'],
  ['file-write-create', '/Users/ann/app/.npmrc', 'deny'],
  ['file-write-create', '/Users/ann/app/.vscode/tasks.json', 'deny'],
  ['file-read-data', '/Users/ann/.toolwright/grants.json', 'deny'],
  ['file-read-data', '/Users/ann/.toolwright/output/1/long.txt', 'allow'],
  ['file-write-data', '/Users/ann/.toolwright/output/1/long.txt', 'deny'],
  ['file-write-data', '/dev/null', 'allow'],
])('the profile decides about %s of %s: %s', (action, path, expected) => {
  expect(verdict(seatbeltProfile(protectedProfile, surroundings), action, path)).toBe(expected);
});

test('who works in the home does not reach the keys in it', () => {
  const text = seatbeltProfile({ ...usual, roots: ['/Users/ann'] }, surroundings);
  expect(verdict(text, 'file-read-data', '/Users/ann/notes.txt')).toBe('allow');
  expect(verdict(text, 'file-read-data', '/Users/ann/.ssh/id')).toBe('deny');
});

test('the temporary folder can be used although it lies in the hidden state folder', () => {
  expect(
    verdict(seatbeltProfile(usual, surroundings), 'file-write-create', '/Users/ann/.toolwright/stage/tmp/a'),
  ).toBe('allow');
});

test('a read-only workspace can not be written', () => {
  const text = seatbeltProfile({ ...usual, workspace: 'read-only' }, surroundings);
  expect(verdict(text, 'file-read-data', '/Users/ann/app/a')).toBe('allow');
  expect(verdict(text, 'file-write-data', '/Users/ann/app/a')).toBe('deny');
});

test.each<[Profile['network'], string[]]>([
  ['off', ['(deny network*)']],
  ['open', ['(allow network*)', '(allow system-socket)']],
  [{ hosts: ['example.org'] }, ['(deny network*)', '(allow network-outbound (remote ip "localhost:4123"))']],
])('the profile has rules for the network %j', (network, lines) => {
  const text = seatbeltProfile({ ...usual, network }, surroundings);
  expect(text.split('\n').filter((line) => /network|socket/.test(line))).toEqual(lines);
});

test('a path can not break out of its quotes', () => {
  const text = seatbeltProfile({ ...usual, roots: ['/Users/ann/a") (allow default) ("\\'] }, surroundings);
  expect(text).toContain('(subpath "/Users/ann/a\\") (allow default) (\\"\\\\")');
});

test('the program is started by sandbox-exec with the rules as one argument', () => {
  const launch = { program: 'bash', args: ['-c', 'true'], directory: '/w', environment: { PATH: '/bin' } };
  expect(inside(launch, '(version 1)', { TMPDIR: '/t' })).toEqual({
    program: '/usr/bin/sandbox-exec',
    args: ['-p', '(version 1)', 'bash', '-c', 'true'],
    directory: '/w',
    environment: { PATH: '/bin', TMPDIR: '/t' },
  });
});
