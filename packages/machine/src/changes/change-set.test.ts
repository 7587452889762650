import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChangeSet,
  changeBetween,
  effectsOf,
  type FileChange,
  invert,
  sameState,
  stateAfter,
  stateBefore,
  summarize,
} from './change-set.js';

const one = { hash: '1'.repeat(64), size: 1, mode: 0o644 };
const two = { hash: '2'.repeat(64), size: 2, mode: 0o755 };
const link = { target: 'elsewhere' };

function setOf(changes: FileChange[], folders: Partial<ChangeSet> = {}): ChangeSet {
  return { v: 1, id: 'set', changes, directories: [], removedDirectories: [], ...folders };
}

const everything = setOf(
  [
    { kind: 'create', path: '/w/new', after: one },
    { kind: 'modify', path: '/w/changed', before: one, after: two },
    { kind: 'modify', path: '/w/changed-too', before: two, after: one },
    { kind: 'delete', path: '/w/gone', before: one },
    { kind: 'symlink', path: '/w/link', before: null, target: 'there' },
    { kind: 'mode', path: '/w/run', hash: one.hash, before: 0o644, after: 0o755 },
  ],
  { directories: [{ path: '/w/made' }], removedDirectories: [{ path: '/w/old', mode: 0o755 }] },
);

describe('summarize', () => {
  const cases: [string, ChangeSet, string][] = [
    ['nothing', setOf([]), 'nothing changed'],
    [
      'everything, deletions first',
      everything,
      '1 file and 1 folder deleted, 2 files changed, 1 file, 1 link and 1 folder created, permissions of 1 file changed',
    ],
    [
      'several folders',
      setOf([], { removedDirectories: [{ path: '/a' }, { path: '/b' }] }),
      '2 folders deleted',
    ],
  ];
  it.each(cases)('words %s', (_, changeSet, text) => expect(summarize(changeSet)).toBe(text));
});

it('the effects of a change set name each path once, deletions first', () => {
  expect(effectsOf(everything)).toEqual([
    { kind: 'delete', path: '/w/gone' },
    { kind: 'delete', path: '/w/old' },
    { kind: 'write', path: '/w/new' },
    { kind: 'write', path: '/w/changed' },
    { kind: 'write', path: '/w/changed-too' },
    { kind: 'write', path: '/w/link' },
    { kind: 'write', path: '/w/run' },
    { kind: 'write', path: '/w/made' },
  ]);
});

describe('invert', () => {
  const path = '/w/x';
  const cases: [string, FileChange, FileChange][] = [
    ['create', { kind: 'create', path, after: one }, { kind: 'delete', path, before: one }],
    [
      'modify',
      { kind: 'modify', path, before: one, after: two },
      { kind: 'modify', path, before: two, after: one },
    ],
    [
      'a file in place of a link',
      { kind: 'modify', path, before: link, after: two },
      { kind: 'symlink', path, before: two, target: 'elsewhere' },
    ],
    ['delete', { kind: 'delete', path, before: one }, { kind: 'create', path, after: one }],
    [
      'delete of a link',
      { kind: 'delete', path, before: link },
      { kind: 'symlink', path, before: null, target: 'elsewhere' },
    ],
    [
      'a new link',
      { kind: 'symlink', path, before: null, target: 'there' },
      { kind: 'delete', path, before: { target: 'there' } },
    ],
    [
      'a link that leads elsewhere',
      { kind: 'symlink', path, before: link, target: 'there' },
      { kind: 'symlink', path, before: { target: 'there' }, target: 'elsewhere' },
    ],
    [
      'a link in place of a file',
      { kind: 'symlink', path, before: one, target: 'there' },
      { kind: 'modify', path, before: { target: 'there' }, after: one },
    ],
    [
      'mode',
      { kind: 'mode', path, hash: null, before: 0o700, after: 0o755 },
      { kind: 'mode', path, hash: null, before: 0o755, after: 0o700 },
    ],
  ];
  it.each(cases)('inverts %s', (_, change, inverse) => {
    expect(invert(setOf([change]), 'back')).toEqual({ ...setOf([inverse]), id: 'back' });
    expect(stateBefore(inverse)).toEqual(stateAfter(change));
    expect(stateAfter(inverse)).toEqual(stateBefore(change));
  });

  it('exchanges folders made and folders removed', () => {
    const inverse = invert(everything, 'back');
    expect(inverse.directories).toEqual(everything.removedDirectories);
    expect(inverse.removedDirectories).toEqual(everything.directories);
  });
});

describe('changeBetween', () => {
  const mode = fc.option(fc.constantFrom(0o644, 0o755), { nil: undefined });
  const state = fc.oneof(
    fc.constant({ kind: 'absent' as const }),
    fc.record({ kind: fc.constant('symlink' as const), target: fc.constantFrom('a', 'b') }),
    fc.tuple(fc.constantFrom(one.hash, two.hash), mode).map(([hash, given]) => ({
      kind: 'file' as const,
      hash,
      size: 1,
      ...(given === undefined ? {} : { mode: given }),
    })),
  );
  it('leads from the one state to the other', () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        fc.pre(!sameState(before, after));
        const change = changeBetween('/w/x', before, after);
        expect(change).not.toBeNull();
        expect(sameState(stateBefore(change!), before)).toBe(true);
        expect(sameState(stateAfter(change!), after)).toBe(true);
      }),
    );
  });

  it('has no word for a folder in place of a file', () => {
    expect(changeBetween('/w/x', { kind: 'file', ...one }, { kind: 'directory', mode: 0o755 })).toBeNull();
  });
});
