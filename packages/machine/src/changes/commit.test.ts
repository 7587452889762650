import { existsSync, linkSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempChanges, type TempChanges } from '../testing/temp-changes.js';
import { planChanges } from './plan.js';

const never = new AbortController().signal;
const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' };

let temporary: TempChanges;
beforeEach(() => {
  temporary = createTempChanges({ content: start });
});
afterEach(() => temporary.cleanup());

const pendingIntents = () => {
  const folder = temporary.state.pathOf('intents');
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
};

describe('a commit', () => {
  it('creates, modifies and deletes, with the folders it needs', async () => {
    const committed = await temporary.commit({ 'a.txt': 'two\n', 'b.txt': null, 'new/deep/d.txt': 'dee\n' });
    expect(temporary.tree()).toEqual({ 'a.txt': 'two\n', 'dir/c.txt': 'sea\n', 'new/deep/d.txt': 'dee\n' });
    expect(committed.changes.map(({ kind, path }) => [kind, path])).toEqual([
      ['delete', temporary.path('b.txt')],
      ['modify', temporary.path('a.txt')],
      ['create', temporary.path('new/deep/d.txt')],
    ]);
    expect(committed.directories.map(({ path }) => path)).toEqual([
      temporary.path('new'),
      temporary.path('new/deep'),
    ]);
    expect(pendingIntents()).toEqual([]);
  });

  it('records what it did, modes included, before it answers', async () => {
    const planned = await temporary.plan({ 'fresh.txt': 'x' });
    const committed = await temporary.changes.commit(planned, { signal: never, origin: { call: 'call-1' } });
    expect(temporary.recorded).toEqual([{ changeSet: committed, origin: { call: 'call-1' } }]);
    const [change] = committed.changes;
    expect(change?.kind === 'create' && change.after.mode).toBe(
      statSync(temporary.path('fresh.txt')).mode & 0o777,
    );
  });

  it('makes links, replaces them by files and files by links, and changes modes', async () => {
    temporary.symlink('link', 'a.txt');
    const { bytes, hash, stat } = await temporary.files.read('a.txt');
    const planned = await planChanges({
      id: 'kinds',
      show: temporary.workspace.show,
      files: [
        {
          path: temporary.path('link'),
          before: { target: 'a.txt' },
          after: { bytes: Buffer.from('file now') },
        },
        { path: temporary.path('b.txt'), before: { bytes: Buffer.from('bee\n') }, after: { target: 'dir' } },
        {
          path: temporary.path('a.txt'),
          before: { bytes, hash, mode: stat.mode },
          after: { bytes, mode: 0o751 },
        },
        { path: temporary.path('other'), before: null, after: { target: 'nowhere' } },
      ],
    });
    await temporary.changes.commit(planned, { signal: never });
    expect(temporary.tree()).toEqual({
      'a.txt': 'one\n',
      'b.txt': '-> dir',
      'dir/c.txt': 'sea\n',
      link: 'file now',
      other: '-> nowhere',
    });
    expect(statSync(temporary.path('a.txt')).mode & 0o777).toBe(0o751);
  });

  it('lets a folder take the place of a file and a file the place of a folder', async () => {
    const planned = await planChanges({
      id: 'places',
      show: temporary.workspace.show,
      files: [
        { path: temporary.path('a.txt/inner'), before: null, after: { bytes: Buffer.from('in') } },
        { path: temporary.path('a.txt'), before: { bytes: Buffer.from('one\n') }, after: null },
        { path: temporary.path('dir'), before: null, after: { bytes: Buffer.from('flat') } },
        { path: temporary.path('dir/c.txt'), before: { bytes: Buffer.from('sea\n') }, after: null },
      ],
      removedDirectories: [{ path: temporary.path('dir') }],
    });
    const committed = await temporary.changes.commit(planned, { signal: never });
    expect(temporary.tree()).toEqual({ 'a.txt/inner': 'in', 'b.txt': 'bee\n', dir: 'flat' });
    const undo = await temporary.changes.planUndo(committed, never);
    if (undo.kind === 'ready') await temporary.changes.commit(undo.planned, { signal: never });
    expect(temporary.tree()).toEqual(start);
  });

  it('overwrites a file with other hard links through all of them', async () => {
    linkSync(temporary.path('a.txt'), temporary.path('twin.txt'));
    const committed = await temporary.commit({ 'a.txt': 'both\n' });
    expect(temporary.read('twin.txt')).toBe('both\n');
    expect(statSync(temporary.path('a.txt')).nlink).toBe(2);
    const undo = await temporary.changes.planUndo(committed, never);
    if (undo.kind === 'ready') await temporary.changes.commit(undo.planned, { signal: never });
    expect(temporary.read('twin.txt')).toBe('one\n');
  });

  it('accepts that two names of one file change together', async () => {
    linkSync(temporary.path('a.txt'), temporary.path('twin.txt'));
    await temporary.commit({ 'a.txt': 'both\n', 'twin.txt': 'both\n' });
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'both\n', 'twin.txt': 'both\n' });
  });

  it('does nothing for an empty plan', async () => {
    await temporary.commit({ 'a.txt': 'one\n' });
    expect(temporary.recorded).toEqual([]);
  });
});

describe('a commit that must not happen', () => {
  it('changes nothing when one of the files is not what was planned on', async () => {
    const planned = await temporary.plan({
      'a.txt': 'two\n',
      'b.txt': null,
      'dir/c.txt': 'see\n',
      'new.txt': 'n',
    });
    temporary.write('dir/c.txt', 'someone else\n');
    temporary.write('new.txt', 'was faster');
    await expect(temporary.changes.commit(planned, { signal: never })).rejects.toThrow(
      'Nothing was changed, because something else changed these files meanwhile: dir/c.txt has different content by now; new.txt exists by now. Read them again, then repeat the change.',
    );
    expect(temporary.tree()).toEqual({ ...start, 'dir/c.txt': 'someone else\n', 'new.txt': 'was faster' });
    expect(temporary.recorded).toEqual([]);
    expect(pendingIntents()).toEqual([]);
  });

  it('notices a file that became a link to the same content', async () => {
    const planned = await temporary.plan({ 'a.txt': 'two\n' });
    temporary.write('same.txt', 'one\n');
    await temporary.commit({ 'a.txt': null });
    symlinkSync('same.txt', temporary.path('a.txt'));
    await expect(temporary.changes.commit(planned, { signal: never })).rejects.toThrow(
      'a.txt is a symlink by now',
    );
    expect(temporary.read('same.txt')).toBe('one\n');
  });

  it('takes everything back when the record can not be written', async () => {
    const failing = temporary.another({
      record: async () => {
        throw new Error('journal is full');
      },
    });
    const planned = await temporary.plan({ 'a.txt': 'two\n', 'b.txt': null, 'new/d.txt': 'dee\n' });
    await expect(failing.commit(planned, { signal: never })).rejects.toThrow('journal is full');
    expect(temporary.tree()).toEqual(start);
    expect(pendingIntents()).toEqual([]);
  });

  it('does nothing when it is cancelled before the first change', async () => {
    const planned = await temporary.plan({ 'a.txt': 'two\n' });
    const reason = { kind: 'user' };
    await expect(temporary.changes.commit(planned, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(temporary.tree()).toEqual(start);
  });

  it('takes back what was done when it is cancelled half-way', async () => {
    const controller = new AbortController();
    const planned = await temporary.plan({ 'a.txt': 'two\n', 'b.txt': 'bees\n', 'dir/c.txt': null });
    const { blobs } = planned;
    let reads = 0;
    const slow = {
      ...planned,
      blobs: {
        read: async (hash: string) => {
          if (++reads === 1) controller.abort({ kind: 'user' });
          return blobs.read(hash);
        },
      },
    };
    const cancelled = temporary.changes.commit(slow, { signal: controller.signal });
    await expect(cancelled).rejects.toEqual({ kind: 'user' });
    expect(reads).toBe(1);
    expect(temporary.tree()).toEqual(start);
    expect(pendingIntents()).toEqual([]);
  });

  it('to files that end with this process is still all or nothing, and writes nothing down for a later one', async () => {
    const seen: unknown[] = [];
    const record = async () => void seen.push(pendingIntents());
    const changes = temporary.another({ lasting: false, record });
    await changes.commit(await temporary.plan({ 'a.txt': 'two\n', 'new.txt': 'x' }), { signal: never });
    expect(seen).toEqual([[]]);
    const failing = temporary.another({
      lasting: false,
      record: () => Promise.reject(new Error('no')),
    });
    const planned = await temporary.plan({ 'a.txt': 'three\n', 'b.txt': null });
    await expect(failing.commit(planned, { signal: never })).rejects.toThrow('no');
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'two\n', 'new.txt': 'x' });
  });
});
