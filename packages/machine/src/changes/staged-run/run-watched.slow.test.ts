import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeSnapshot } from '../../host/staging/snapshot.js';
import type { ChangeSet } from '../change-set.js';
import { describeTree } from './fixtures/describe-tree.js';
import { bash } from './fixtures/play.js';
import { scenarios } from './fixtures/scenarios.js';
import { createTempStaged, never, type TempStaged } from './fixtures/temp-staged.js';
import type { WatchedRun, WatchedRunOptions } from './staged-run.js';

const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' };

let temporary: TempStaged;
beforeEach(() => {
  temporary = createTempStaged({ content: start });
});
afterEach(async () => {
  expect(temporary.leftovers()).toEqual({ mounts: 0, folders: 0, processes: 0 });
  await temporary.cleanup();
});

const watch = (command: string, options: Partial<WatchedRunOptions> = {}): Promise<WatchedRun> =>
  temporary.staged.runWatched(temporary.launch(command), { signal: never, ...options });

async function undo(changeSet: ChangeSet | null): Promise<void> {
  const plan = await temporary.changes.planUndo(changeSet!, never);
  if (plan.kind !== 'ready') throw new Error(JSON.stringify(plan));
  await temporary.changes.commit(plan.planned, { signal: never });
}

describe('a watched run that was cut off with the program', () => {
  /** Leaves the state behind that `kill -9` makes while the command runs. */
  async function cutOff(roots: string[], command: string): Promise<void> {
    const { pid: gone } = spawnSync('true');
    const folder = temporary.needs.state.pathOf('stage', 'runs', `cut-off.of-${gone}`, 'before');
    await takeSnapshot({ roots, except: temporary.needs.state.path, folder, signal: never });
    bash(command, temporary.directory);
  }

  it('leaves what is gone or different since as it was, where the next start says', async () => {
    await cutOff([temporary.directory], 'rm -r dir; echo two >> b.txt; echo new > new.txt');
    const [sentence = '', ...others] = await temporary.staged.sweep();
    expect(others).toEqual([]);
    expect(sentence).toMatch(
      /was cut off when Toolwright was killed\. .* in (\S+): (b\.txt, dir\/c\.txt|dir\/c\.txt, b\.txt)\.$/,
    );
    const kept = / in (\S+): /.exec(sentence)?.[1] ?? '';
    expect(temporary.treeOf(kept)).toEqual({ 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' });
    expect(await temporary.staged.sweep()).toEqual([]);
  });

  it('in another workspace is left for the next start there', async () => {
    await cutOff([temporary.outside], 'rm a.txt');
    expect(await temporary.staged.sweep()).toEqual([]);
    const runs = temporary.needs.state.pathOf('stage', 'runs');
    expect(readdirSync(runs)).toHaveLength(1);
    rmSync(runs, { recursive: true });
  });
});

describe('a watched run', () => {
  it('changes the workspace itself and records what it did', async () => {
    const run = await watch('rm a.txt; echo two >> b.txt; mkdir new; echo n > new/n', {
      origin: { call: 'c1' },
    });
    expect(temporary.tree()).toEqual({ 'b.txt': 'bee\ntwo\n', 'dir/c.txt': 'sea\n', 'new/n': 'n\n' });
    expect(run.diff.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'delete a.txt',
      'modify b.txt',
      'create new/n',
    ]);
    expect(temporary.recorded).toEqual([{ changeSet: run.changeSet, origin: { call: 'c1' } }]);
    expect(run.notUndoable).toEqual([]);
    await undo(run.changeSet);
    expect(temporary.tree()).toEqual(start);
  });

  it.each(scenarios.filter(({ needs }) => needs === undefined))(
    'of $name is undone byte for byte',
    async ({ prepare, command }) => {
      bash(prepare, temporary.directory);
      const before = describeTree(temporary.directory);
      const { changeSet } = await watch(command);
      expect(describeTree(temporary.directory)).not.toEqual(before);
      await undo(changeSet);
      expect(describeTree(temporary.directory)).toEqual(before);
    },
  );

  it('that changes nothing records nothing', async () => {
    const run = await watch('cat a.txt; touch b.txt');
    expect(run).toMatchObject({ changeSet: null, diff: { files: [] }, ended: { stdout: { head: 'one\n' } } });
    expect(temporary.recorded).toEqual([]);
  });

  it('sees a file whose time and size were put back', async () => {
    const run = await watch('t=$(stat -c %y a.txt); echo two > a.txt; touch -d "$t" a.txt');
    expect(run.changeSet?.changes).toHaveLength(1);
    await undo(run.changeSet);
    expect(temporary.tree()).toEqual(start);
  });

  it('that is cancelled is recorded as far as it came', async () => {
    const controller = new AbortController();
    const run = await watch('rm a.txt; echo begun; sleep 30', {
      signal: controller.signal,
      onOutput: () => controller.abort({ kind: 'user' }),
    });
    expect(run.ended.stopped).toMatchObject({ kind: 'user' });
    await undo(run.changeSet);
    expect(temporary.tree()).toEqual(start);
  });

  it('names what it could not copy beforehand, and undoes the rest', async () => {
    writeFileSync(temporary.path('large.bin'), Buffer.alloc(5000));
    writeFileSync(temporary.path('other.bin'), Buffer.alloc(6000));
    const run = await watch('echo x > large.bin; chmod 600 other.bin; echo two > a.txt', {
      limits: { entries: 1000, copies: 1000, bytes: 4000 },
    });
    expect(run.notUndoable).toEqual([
      {
        path: temporary.path('large.bin'),
        why: 'it was not copied beforehand (too many files, or too large)',
      },
    ]);
    expect(run.changeSet?.changes.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['mode', 'modify']),
    );
    await undo(run.changeSet);
    expect(temporary.read('a.txt')).toBe('one\n');
  });

  it('says so when there are more files than can be watched', async () => {
    const run = await watch('true', { limits: { entries: 2, copies: 10, bytes: 1000 } });
    expect(run.notes).toEqual([
      "The workspace holds more files than can be watched; what the command did to the others is not known and can't be undone.",
    ]);
  });

  it('leaves our own folder in the workspace out', async () => {
    const { openState } = await import('../../host/state/state.js');
    const { createClock, createIds } = await import('../../host/node-host.js');
    const { createStagedRuns } = await import('./create-staged-runs.js');
    const state = openState({
      path: temporary.path('.state'),
      host: { clock: createClock(), ids: createIds() },
    });
    const staged = createStagedRuns({ ...temporary.needs, state, withLock: state.withLock });
    const run = await staged.runWatched(temporary.launch('echo two > a.txt; echo x > .state/x'), {
      signal: never,
    });
    expect(run.changeSet?.changes.map(({ path }) => path)).toEqual([temporary.path('a.txt')]);
  });

  it('keeps going past files that can not be read', async () => {
    chmodSync(temporary.path('b.txt'), 0);
    const run = await watch('echo two > a.txt');
    expect(run.changeSet?.changes).toHaveLength(1);
  });
});
