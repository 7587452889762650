import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isEmptyChangeSet } from '../change-set.js';
import { canStage, createTempStaged, never, type TempStaged } from './fixtures/temp-staged.js';

const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' };

let temporary: TempStaged;
beforeEach(() => {
  temporary = createTempStaged({ content: start });
});
afterEach(async () => {
  expect(temporary.leftovers()).toEqual({ mounts: 0, folders: 0, processes: 0 });
  await temporary.cleanup();
});

describe.runIf(await canStage())('others who change files', () => {
  it('between the run and the answer are not overwritten, and the message shows what they did', async () => {
    const run = await temporary.run('echo two > a.txt; echo three > b.txt');
    temporary.write('a.txt', 'one\ntheirs\n');
    await expect(run.keep({ signal: never })).rejects.toMatchObject({
      code: 'conflict',
      message:
        'Nothing was changed, because something else changed these files meanwhile: a.txt has different content by now. Read them again, then repeat the change.\n' +
        'What changed meanwhile:\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+theirs\n',
    });
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'one\ntheirs\n' });
  });

  it('while the command runs are found out, and nothing is asked', async () => {
    let isWritten = false;
    const run = await temporary.staged.run(
      temporary.launch('echo go; sleep 0.2; echo two > a.txt; rm -r dir'),
      {
        signal: never,
        onOutput() {
          if (!isWritten) writeFileSync(temporary.path('a.txt'), 'theirs\n');
          isWritten = true;
        },
      },
    );
    expect(run.notKept).toBe(
      'Something else changed a.txt while the command ran, so its changes, which touch the same, were dropped. Look at what changed, then run it again.',
    );
    expect(isEmptyChangeSet(run.planned.changeSet)).toBe(true);
    expect(run.ended.stdout.head).toBe('go\n');
    await expect(run.keep({ signal: never })).rejects.toMatchObject({ code: 'conflict' });
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'theirs\n' });
  });

  it('add a file to a folder that the command removes: it is not lost', async () => {
    const run = await temporary.staged.run(temporary.launch('echo go; sleep 0.2; rm -r dir'), {
      signal: never,
      onOutput: () => writeFileSync(temporary.path('dir/theirs.txt'), 'theirs\n'),
    });
    expect(run.notKept).toContain('dir/theirs.txt');
    expect(temporary.tree()).toEqual({ ...start, 'dir/theirs.txt': 'theirs\n' });
  });

  it('change other files without being noticed', async () => {
    const run = await temporary.staged.run(temporary.launch('echo go; sleep 0.1; echo two > a.txt'), {
      signal: never,
      onOutput: () => writeFileSync(temporary.path('b.txt'), 'theirs\n'),
    });
    await run.keep({ signal: never });
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'two\n', 'b.txt': 'theirs\n' });
  });

  it('through Toolwright wait until the run is over', async () => {
    const planned = await temporary.plan({ 'b.txt': 'edited\n' });
    const order: string[] = [];
    let edit: Promise<unknown> | undefined;
    const run = await temporary.staged.run(temporary.launch('echo go; sleep 0.2; echo two > a.txt'), {
      signal: never,
      onOutput() {
        edit = temporary.changes.commit(planned, { signal: never }).then(() => order.push('edit'));
      },
    });
    order.push('run');
    await edit;
    expect(order).toEqual(['run', 'edit']);
    await run.keep({ signal: never });
    expect(temporary.tree()).toEqual({ ...start, 'a.txt': 'two\n', 'b.txt': 'edited\n' });
  });
});
