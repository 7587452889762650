import {
  type ChangeSet,
  type DirectoryVersion,
  type EntryState,
  stateAfter,
  stateBefore,
} from '../change-set.js';

/** One step of a commit. */
export type Step =
  | { kind: 'entry'; path: string; from: EntryState; to: EntryState }
  | { kind: 'make-directory'; path: string }
  | { kind: 'remove-directory'; path: string }
  /** Opens a directory that will be removed to its owner, who must be able to empty it. */
  | { kind: 'open-directory'; path: string; mode: number }
  /** Sets the mode of a new directory. Comes last, because the mode may keep its owner from writing to it. */
  | { kind: 'directory-mode'; path: string; mode: number };

const OWNER_MAY_WRITE = 0o200;
const OWNER_MAY_ALL = 0o700;

/**
 * The order in which a change set can be carried out: room is made before it is taken (a file may give way to
 * a folder of its name, and the other way round), folders are there before their files, and a folder is
 * writable for as long as something happens inside.
 */
export function scheduleOf(changeSet: ChangeSet): Step[] {
  const entries = changeSet.changes.map(
    (change): Extract<Step, { kind: 'entry' }> => ({
      kind: 'entry',
      path: change.path,
      from: stateBefore(change),
      to: stateAfter(change),
    }),
  );
  const opened = entries.filter(({ to }) => to.kind === 'directory' && (to.mode & OWNER_MAY_WRITE) !== 0);
  const closed = entries.filter(({ to }) => to.kind === 'directory' && (to.mode & OWNER_MAY_WRITE) === 0);
  const made = changeSet.directories;
  return [
    ...opened.sort(outermostFirst),
    ...changeSet.removedDirectories.flatMap(opening).sort(outermostFirst),
    ...entries.filter(({ to }) => to.kind === 'absent'),
    ...changeSet.removedDirectories
      .map(({ path }): Step => ({ kind: 'remove-directory', path }))
      .sort(innermostFirst),
    ...made.map(({ path }): Step => ({ kind: 'make-directory', path })).sort(outermostFirst),
    ...entries.filter(({ to }) => to.kind === 'file' || to.kind === 'symlink'),
    ...made
      .flatMap(({ path, mode }): Step[] =>
        mode === undefined ? [] : [{ kind: 'directory-mode', path, mode }],
      )
      .sort(innermostFirst),
    ...closed.sort(innermostFirst),
  ];
}

function opening({ path, mode = OWNER_MAY_ALL }: DirectoryVersion): Step[] {
  const isOpen = (mode & OWNER_MAY_ALL) === OWNER_MAY_ALL;
  return isOpen ? [] : [{ kind: 'open-directory', path, mode: mode | OWNER_MAY_ALL }];
}

function outermostFirst(left: { path: string }, right: { path: string }): number {
  return left.path.length - right.path.length;
}

function innermostFirst(left: { path: string }, right: { path: string }): number {
  return right.path.length - left.path.length;
}
