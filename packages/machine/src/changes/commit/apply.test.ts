import { expect, it } from 'vitest';
import type { ChangeSet, FileChange } from '../change-set.js';
import { scheduleOf } from './apply.js';

const version = { hash: '1'.repeat(64), size: 1, mode: 0o644 };

function orderOf(changes: FileChange[], folders: Partial<ChangeSet> = {}): string[] {
  const changeSet: ChangeSet = {
    v: 1,
    id: 'set',
    changes,
    directories: [],
    removedDirectories: [],
    ...folders,
  };
  return scheduleOf(changeSet).map((step) => `${step.kind} ${step.path}`);
}

it('the schedule of a commit makes room before it takes it', () => {
  expect(
    orderOf(
      [
        { kind: 'create', path: '/w/was-folder', after: version },
        { kind: 'delete', path: '/w/was-folder/in/file', before: version },
        { kind: 'create', path: '/w/was-file/new', after: version },
        { kind: 'delete', path: '/w/was-file', before: version },
      ],
      {
        directories: [{ path: '/w/was-file' }],
        removedDirectories: [
          { path: '/w/was-folder', mode: 0o755 },
          { path: '/w/was-folder/in', mode: 0o500 },
        ],
      },
    ),
  ).toEqual([
    'open-directory /w/was-folder/in',
    'entry /w/was-folder/in/file',
    'entry /w/was-file',
    'remove-directory /w/was-folder/in',
    'remove-directory /w/was-folder',
    'make-directory /w/was-file',
    'entry /w/was-folder',
    'entry /w/was-file/new',
  ]);
});

it('the schedule of a commit opens folders first and closes them last', () => {
  expect(
    orderOf(
      [
        { kind: 'mode', path: '/w/closed', hash: null, before: 0o755, after: 0o555 },
        { kind: 'create', path: '/w/opened/file', after: version },
        { kind: 'mode', path: '/w/opened', hash: null, before: 0o555, after: 0o755 },
      ],
      {
        directories: [
          { path: '/w/made', mode: 0o500 },
          { path: '/w/made/inner', mode: 0o500 },
        ],
      },
    ),
  ).toEqual([
    'entry /w/opened',
    'make-directory /w/made',
    'make-directory /w/made/inner',
    'entry /w/opened/file',
    'directory-mode /w/made/inner',
    'directory-mode /w/made',
    'entry /w/closed',
  ]);
});
