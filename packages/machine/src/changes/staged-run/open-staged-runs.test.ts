import { expect, test } from 'vitest';
import type { CapturedOutput, Ended } from '../../host/processes/processes.js';
import { notesOn } from './open-staged-runs.js';

const said = (head: string): CapturedOutput => ({
  head,
  tail: '',
  totalBytes: head.length,
  omittedBytes: 0,
  isBinary: false,
  encoding: 'utf-8',
});

const ended = (stdout: string, stderr = ''): Ended => ({
  exitCode: 1,
  signal: null,
  stopped: null,
  stdout: said(stdout),
  stderr: said(stderr),
  survivors: [],
  left: 0,
  durationMs: 1,
});

test.each([
  ["Error: EXDEV: cross-device link not permitted, rename 'a' -> 'b'", /failed with EXDEV/],
  ['mv: cannot move: Invalid cross-device link', /cp -a old new && rm -rf old/],
  ['touch: cannot touch x: Value too large for defined data type', /belong to another user or group/],
  ['tee: x: No space left on device', /full disk/],
])('%s is explained', (line, note) => {
  const kernel = { followsRenames: false };
  expect(notesOn(ended(line), kernel)).toEqual([expect.stringMatching(note)]);
  expect(notesOn(ended('', line), kernel)).toEqual([expect.stringMatching(note)]);
});

test('nothing is said about renames where they work, or about a command that met nothing', () => {
  expect(notesOn(ended('Invalid cross-device link'), { followsRenames: true })).toEqual([]);
  expect(notesOn(ended('all is well'), { followsRenames: false })).toEqual([]);
});
