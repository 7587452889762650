import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempChanges, type TempChanges } from '../testing/temp-changes.js';
import type { ChangeSet } from './change-set.js';
import { planChanges } from './plan.js';
import type { UndoPlan } from './undo.js';

const never = new AbortController().signal;
const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' };

let temporary: TempChanges;
beforeEach(() => {
  temporary = createTempChanges({ content: start });
});
afterEach(() => temporary.cleanup());

const planUndo = (changeSet: ChangeSet): Promise<UndoPlan> => temporary.changes.planUndo(changeSet, never);

async function undo(changeSet: ChangeSet): Promise<ChangeSet> {
  const plan = await planUndo(changeSet);
  if (plan.kind !== 'ready') throw new Error(`not ready: ${JSON.stringify(plan)}`);
  return temporary.changes.commit(plan.planned, { signal: never });
}

describe('undo', () => {
  it('brings everything back, and leaves no folder it made', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': null, 'new/deep/d.txt': 'dee\n' });
    await undo(committed);
    expect(temporary.tree()).toEqual(start);
    expect(existsSync(temporary.path('new'))).toBe(false);
  });

  it('can itself be undone, and that too', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': null, 'new/deep/d.txt': 'dee\n' });
    const after = temporary.tree();
    const undone = await undo(committed);
    const redone = await undo(undone);
    expect(temporary.tree()).toEqual(after);
    await undo(redone);
    expect(temporary.tree()).toEqual(start);
    expect(temporary.recorded).toHaveLength(4);
  });

  it('of a change in a folder that is not among those of this run is refused, not taken for done', async () => {
    const path = join(temporary.outside, 'x.txt');
    for (const kind of ['create', 'modify'] as const) {
      const version = { hash: 'h', size: 1, mode: 0o644 };
      const change =
        kind === 'create' ? { kind, path, after: version } : { kind, path, before: version, after: version };
      expect(
        await planUndo({ v: 1, id: 'x', changes: [change], directories: [], removedDirectories: [] }),
      ).toEqual({
        kind: 'refused',
        reason: `Nothing was undone. This change was made in a folder that is not among those of this run: ${temporary.outside}. Undo again with --include-directories ${temporary.outside}`,
        diff: { kind: 'diff', files: [] },
      });
    }
  });

  it('shows what it would do before it does it', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'new.txt': 'n\n' });
    const plan = await planUndo(committed);
    expect(plan.kind === 'ready' && plan.planned.diff.files).toEqual([
      {
        path: 'new.txt',
        change: 'delete',
        added: 0,
        removed: 1,
        unified: '--- a/new.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n',
      },
      {
        path: 'a.txt',
        change: 'modify',
        added: 1,
        removed: 1,
        unified: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+one\n',
      },
    ]);
  });

  it('brings back folders with their modes', async () => {
    mkdirSync(temporary.path('closed/inner'), { recursive: true });
    writeFileSync(temporary.path('closed/inner/x'), 'x');
    chmodSync(temporary.path('closed/inner'), 0o500);
    chmodSync(temporary.path('closed'), 0o750);
    const planned = await planChanges({
      id: 'remove',
      show: temporary.workspace.show,
      files: [{ path: temporary.path('closed/inner/x'), before: { bytes: Buffer.from('x') }, after: null }],
      removedDirectories: [{ path: temporary.path('closed') }, { path: temporary.path('closed/inner') }],
    });
    const committed = await temporary.changes.commit(planned, { signal: never });
    expect(temporary.tree()).toEqual(start);
    await undo(committed);
    expect(temporary.read('closed/inner/x')).toBe('x');
    expect(statSync(temporary.path('closed')).mode & 0o777).toBe(0o750);
    expect(statSync(temporary.path('closed/inner')).mode & 0o777).toBe(0o500);
  });

  it('keeps a folder it made when others put something into it', async () => {
    const committed = await temporary.commit({ 'new/d.txt': 'dee\n' });
    temporary.write('new/theirs.txt', 'theirs\n');
    const undone = await undo(committed);
    expect(temporary.tree()).toEqual({ ...start, 'new/theirs.txt': 'theirs\n' });
    expect(undone.removedDirectories).toEqual([]);
    expect(await planUndo(committed)).toEqual({ kind: 'nothing' });
  });

  it('finds nothing to do when all is as it was', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'new.txt': 'n\n' });
    temporary.write('a.txt', 'one\n');
    rmSync(temporary.path('new.txt'));
    expect(await planUndo(committed)).toEqual({ kind: 'nothing' });
  });

  it('does the rest when some files are as they were already', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': 'bees\n' });
    temporary.write('a.txt', 'one\n');
    await undo(committed);
    expect(temporary.tree()).toEqual(start);
  });
});

describe('undo refuses', () => {
  it('what others changed since, and shows what they did', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': null, 'new.txt': 'n\n' });
    temporary.write('a.txt', 'two\nand mine\n');
    rmSync(temporary.path('new.txt'));
    mkdirSync(temporary.path('new.txt'));
    const plan = await planUndo(committed);
    expect(plan).toEqual({
      kind: 'refused',
      reason:
        'Nothing was undone. Changed since: new.txt, a.txt. Undoing would lose that; put it aside or take it back first, then undo again.',
      diff: {
        kind: 'diff',
        files: [
          {
            path: 'a.txt',
            change: 'modify',
            added: 1,
            removed: 0,
            unified: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n two\n+and mine\n',
          },
          { path: 'new.txt', change: 'modify', added: 0, removed: 0, unified: 'It is a folder now.' },
        ],
      },
    });
    expect(temporary.exists('b.txt')).toBe(false);
  });

  it('a mode that others changed', async () => {
    const committed = await temporary.commit({ 'new.txt': 'n\n' });
    chmodSync(temporary.path('new.txt'), 0o640);
    const earlier = await temporary.commit({ 'a.txt': 'two\n' });
    chmodSync(temporary.path('a.txt'), 0o700);
    const plans = [await planUndo(committed), await planUndo(earlier)];
    const shown = plans.map((plan) => plan.kind === 'refused' && plan.diff.files[0]?.unified);
    expect(shown).toEqual([
      expect.stringMatching(/^Mode \d{4} becomes 0640\.$/),
      expect.stringMatching(/becomes 0700\.$/),
    ]);
  });

  it('a file that is there again after it was deleted', async () => {
    const committed = await temporary.commit({ 'b.txt': null });
    temporary.write('b.txt', 'another\n');
    const plan = await planUndo(committed);
    expect(plan.kind === 'refused' && plan.diff.files[0]).toMatchObject({ path: 'b.txt', change: 'create' });
  });

  it('what can not be brought back', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': null });
    rmSync(temporary.state.pathOf('objects'), { recursive: true });
    const plan = await planUndo(committed);
    expect(plan).toEqual({
      kind: 'refused',
      reason:
        "Nothing was undone. The earlier version is no longer in the store, or was changed there: b.txt, a.txt. It can't be brought back from here.",
      diff: { kind: 'diff', files: [] },
    });
    expect(temporary.read('a.txt')).toBe('two\n');
  });

  it('at the last moment what changes after the question', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': 'bees\n' });
    const plan = await planUndo(committed);
    temporary.write('b.txt', 'hive\n');
    if (plan.kind !== 'ready') throw new Error('not ready');
    await expect(temporary.changes.commit(plan.planned, { signal: never })).rejects.toThrow(
      'b.txt has different content by now',
    );
    expect(temporary.read('a.txt')).toBe('two\n');
  });
});
