import { existsSync, linkSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Files } from '../../host/files/files.js';
import { createTempChanges, type TempChanges } from '../../testing/temp-changes.js';
import type { PlannedChanges } from '../change-set.js';
import { dyingFiles, type Moment } from '../fixtures/dying-files.js';
import { planChanges } from '../plan.js';
import { describeRecovery, type Recovery } from './recovery.js';

const never = new AbortController().signal;
const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n', link: '-> a.txt' };
const end = {
  'a.txt': 'two\n',
  'dir/d.txt': 'dee\n',
  link: 'file\n',
  'new/deep/e.txt': 'eee\n',
  other: '-> x',
};

let temporary: TempChanges;
afterEach(() => temporary.cleanup());

function begin(): void {
  temporary = createTempChanges({ content: { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' } });
  temporary.symlink('link', 'a.txt');
}

/** Every kind of change, from `start` to `end`. */
function planEverything(): Promise<PlannedChanges> {
  const file = (text: string, mode?: number) => ({
    bytes: Buffer.from(text),
    ...(mode === undefined ? {} : { mode }),
  });
  const { path } = temporary;
  return planChanges({
    id: 'everything',
    show: temporary.workspace.show,
    files: [
      { path: path('a.txt'), before: file('one\n'), after: file('two\n', 0o755) },
      { path: path('b.txt'), before: file('bee\n'), after: null },
      { path: path('dir/c.txt'), before: file('sea\n'), after: null },
      { path: path('dir/d.txt'), before: null, after: file('dee\n') },
      { path: path('link'), before: { target: 'a.txt' }, after: file('file\n') },
      { path: path('new/deep/e.txt'), before: null, after: file('eee\n') },
      { path: path('other'), before: null, after: { target: 'x' } },
    ],
  });
}

const moments: Moment[] = ['before', 'within', 'after'];

describe('after a crash', () => {
  it.each(moments)(
    '%s any change of a commit, the start that follows takes all of it back',
    async (moment) => {
      const outcomes: string[] = [];
      for (let dieAt = 1; dieAt < 40; dieAt++) {
        begin();
        const dying = temporary.another({ files: dyingFiles(temporary.files, dieAt, moment) });
        const isDead = await dying.commit(await planEverything(), { signal: never }).then(
          () => false,
          () => true,
        );
        const [recovery] = await temporary.changes.recover(never);
        outcomes.push(recovery?.outcome ?? 'nothing to do');
        expect(temporary.tree()).toEqual(isDead ? start : end);
        expect(recovery?.foreign ?? []).toEqual([]);
        expect(await temporary.changes.recover(never)).toEqual([]);
        await temporary.cleanup();
        if (!isDead) break;
      }
      expect(outcomes.at(-1)).toBe('nothing to do');
      expect(outcomes.filter((outcome) => outcome === 'taken-back').length).toBeGreaterThanOrEqual(10);
    },
  );

  it('the next commit of another process deals with it first', async () => {
    begin();
    const dying = temporary.another({ files: dyingFiles(temporary.files, 5, 'after') });
    await expect(dying.commit(await planEverything(), { signal: never })).rejects.toThrow('dead');
    expect(temporary.tree()).not.toEqual(start);
    writeFileSync(temporary.path('free.txt'), 'free\n');
    await temporary.commit({ 'free.txt': 'taken\n' });
    expect(temporary.tree()).toEqual({ ...start, 'free.txt': 'taken\n' });
    expect(await temporary.changes.recover(never)).toEqual([]);
  });

  it('a commit that was made completely is recorded and kept', async () => {
    begin();
    const planned = await planEverything();
    await new Promise<void>((resolve) => {
      const recordForever = () => {
        resolve();
        return new Promise<void>(() => {});
      };
      const dying = temporary.another({ record: recordForever });
      void dying.commit(planned, { signal: never, origin: { call: 'seven' } });
    });
    // The dead process's lock is not there any more.
    const next = temporary.another({ withLock: (_, work) => work() });
    const recoveries = await next.recover(never);
    expect(recoveries.map(({ outcome }) => outcome)).toEqual(['finished']);
    expect(temporary.tree()).toEqual(end);
    expect(temporary.recorded.map(({ origin }) => origin)).toEqual([{ call: 'seven' }]);
    expect(temporary.recorded[0]?.changeSet.directories.map(({ path }) => path)).toEqual([
      temporary.path('new'),
      temporary.path('new/deep'),
    ]);
  });

  it.each(['before', 'within', 'after'] as const)(
    '%s the write of the only file, that file tells whether the commit was made',
    async (moment) => {
      begin();
      const dying = temporary.another({ files: dyingFiles(temporary.files, 1, moment) });
      const planned = await temporary.plan({ 'a.txt': 'two\n' });
      await expect(dying.commit(planned, { signal: never, origin: { call: 'eight' } })).rejects.toThrow();
      const [recovery] = await temporary.changes.recover(never);
      const isMade = moment === 'after';
      expect(recovery?.outcome).toBe(isMade ? 'finished' : 'taken-back');
      expect(temporary.tree()).toEqual({ ...start, 'a.txt': isMade ? 'two\n' : 'one\n' });
      expect(temporary.recorded).toEqual(
        isMade ? [{ changeSet: planned.changeSet, origin: { call: 'eight' } }] : [],
      );
      expect(await temporary.changes.recover(never)).toEqual([]);
    },
  );

  it('leaves alone what others changed since, and says so', async () => {
    begin();
    const dying = temporary.another({ files: dyingFiles(temporary.files, 7, 'after') });
    await expect(dying.commit(await planEverything(), { signal: never })).rejects.toThrow('dead');
    expect(temporary.read('a.txt')).toBe('two\n');
    temporary.write('a.txt', 'mine\n');
    const [recovery] = await temporary.changes.recover(never);
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'mine\n' });
    expect(recovery).toMatchObject({ outcome: 'taken-back', foreign: [temporary.path('a.txt')] });
    expect(describeRecovery(recovery!, temporary.workspace.show)).toBe(
      'A change that was interrupted (2 files deleted, 2 files changed, 2 files, 1 link and 2 folders created) was taken back.\n' +
        '- a.txt was changed by someone else since and was left alone.',
    );
  });

  it('mends a file that was torn while it was overwritten in place', async () => {
    begin();
    linkSync(temporary.path('a.txt'), temporary.path('twin.txt'));
    const tearing: Files = {
      ...temporary.files,
      async write(path, bytes, options) {
        await options.beforeInPlace?.();
        writeFileSync(path, Buffer.concat([bytes.subarray(0, 2), Buffer.from('e\n')]));
        throw new Error('dead');
      },
      lstat: async (path) => {
        if (
          path === temporary.path('a.txt') &&
          statSync(path).size === 4 &&
          temporary.read('a.txt') === 'twe\n'
        ) {
          throw new Error('dead');
        }
        return temporary.files.lstat(path);
      },
    };
    const dying = temporary.another({ files: tearing });
    await expect(dying.commit(await temporary.plan({ 'a.txt': 'two\n' }), { signal: never })).rejects.toThrow(
      'dead',
    );
    expect(temporary.read('twin.txt')).toBe('twe\n');
    const [recovery] = await temporary.changes.recover(never);
    expect(recovery).toMatchObject({ outcome: 'taken-back', foreign: [] });
    expect(temporary.read('twin.txt')).toBe('one\n');
    expect(temporary.read('a.txt')).toBe('one\n');
  });
});

describe('intents', () => {
  it('a half-written one had not begun anything', async () => {
    begin();
    const dying = temporary.another({ files: dyingFiles(temporary.files, 1, 'before') });
    await expect(dying.commit(await planEverything(), { signal: never })).rejects.toThrow('dead');
    truncateSync(intentNames()[0]!, 100);
    expect(await temporary.changes.recover(never)).toEqual([]);
    expect(intentNames()).toEqual([]);
    expect(temporary.tree()).toEqual(start);
  });

  it('one of a newer version is left alone and told of', async () => {
    begin();
    const errors: string[] = [];
    const log = { error: (message: string) => void errors.push(message) };
    const dying = temporary.another({ files: dyingFiles(temporary.files, 1, 'before') });
    await expect(dying.commit(await planEverything(), { signal: never })).rejects.toThrow('dead');
    const [name] = intentNames();
    writeFileSync(name!, '{"v":2}\n');
    expect(await temporary.another({ log }).recover(never)).toEqual([]);
    expect(errors).toEqual([`An unfinished commit of another version of Toolwright was left alone: ${name}`]);
    expect(intentNames()).toEqual([name]);
  });

  it('what could not be taken back is tried again at the next start', async () => {
    begin();
    const dying = temporary.another({ files: dyingFiles(temporary.files, 7, 'after') });
    await expect(dying.commit(await planEverything(), { signal: never })).rejects.toThrow('dead');
    const broken: Files = {
      ...temporary.files,
      write: async () => {
        throw new Error('the disk is full');
      },
    };
    const [first] = await temporary.another({ files: broken }).recover(never);
    expect(first?.outcome).toBe('incomplete');
    expect(reasonsOf(first)).toContain('the disk is full');
    const [second] = await temporary.changes.recover(never);
    expect(second?.outcome).toBe('taken-back');
    expect(temporary.tree()).toEqual(start);
  });
});

function reasonsOf(recovery: Recovery | undefined): string[] {
  return recovery?.failed.map(({ reason }) => reason) ?? [];
}

function intentNames(): string[] {
  const folder = temporary.state.pathOf('intents');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
