import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { never, openTextTools as open } from './fixtures/text-tools.js';

const file = 'one\ntwo\nthree\nfour\nfive\nsix\n';

describe('prior reading', () => {
  test('a model must have seen a file before it changes it', async () => {
    const { runEdit, runWrite, read } = open({ 'a.txt': file }, { forModel: true });
    const refusal =
      'conflict: a.txt has not been read in this session, so it was not changed. Read it first (read_file, or grep_search for the lines in question), then repeat the call.';
    expect(await runEdit('a.txt', 'two', '2')).toBe(refusal);
    expect(await runWrite('a.txt', 'x\n')).toBe(refusal);
    expect(read('a.txt')).toBe(file);
  });

  test('a glance is enough, and so is a write of its own', async () => {
    const { runEdit, runWrite, seen, path } = open({ 'a.txt': file }, { forModel: true });
    seen.saw(path('a.txt'));
    expect(await runEdit('a.txt', 'two', '2')).toContain('Edited a.txt');
    await runWrite('new.txt', 'a\n');
    expect(await runEdit('new.txt', 'a', 'b')).toContain('Edited new.txt');
    expect(await runWrite('new.txt', 'c\n')).toContain('Wrote new.txt');
  });

  test('seen under the name of a link counts', async () => {
    const { runEdit, seen, path, symlink } = open({ 'a.txt': file }, { forModel: true });
    symlink('link.txt', 'a.txt');
    seen.saw(path('link.txt'));
    expect(await runEdit('link.txt', 'two', '2')).toContain('Edited link.txt');
  });

  test('a new file needs none', async () => {
    const { runEdit, runWrite } = open({}, { forModel: true });
    expect(await runWrite('a.txt', 'a\n')).toContain('Created a.txt');
    expect(await runEdit('b.txt', '', 'b\n')).toContain('Created b.txt');
  });

  test('nobody else is asked to read first', async () => {
    const { runEdit } = open({ 'a.txt': file });
    expect(await runEdit('a.txt', 'two', '2')).toContain('Edited a.txt');
  });
});

describe('a file that changes between the question and the answer', () => {
  const params = { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' };

  test('behind a link that leads to another file by now: neither is written', async () => {
    const { edit, symlink, path, tree } = open({ 'a.txt': file, 'b.txt': file.replace('six', 'SIX') });
    symlink('link.txt', 'a.txt');
    const linked = { ...params, file_path: 'link.txt' };
    await edit.shouldConfirmExecute(linked, never);
    rmSync(path('a.txt'));
    rmSync(path('link.txt'));
    symlink('link.txt', 'b.txt');
    const before = tree();
    const result = await edit.execute(linked, never);
    expect(result.error?.code).toBe('conflict');
    expect(tree()).toEqual(before);
  });

  test('elsewhere: both changes are in it', async () => {
    const { edit, write, readBytes } = open({ 'a.txt': file.replace('five\n', 'five\r\n') });
    await edit.shouldConfirmExecute(params, never);
    write('a.txt', file.replace('five\n', 'FIVE\r\n'));
    const result = await edit.execute(params, never);
    expect(result.llmContent).toContain('Edited a.txt: 1 replacement at line 2.');
    expect(result.llmContent).toContain(
      'Someone else had changed other lines of a.txt meanwhile; they were kept:',
    );
    expect(readBytes('a.txt').toString()).toBe(file.replace('two', 'TWO').replace('five\n', 'FIVE\r\n'));
  });

  test('in the same lines: nothing is written, and the difference is shown', async () => {
    const { edit, write, read } = open({ 'a.txt': file });
    await edit.shouldConfirmExecute(params, never);
    write('a.txt', file.replace('two', 'zwei'));
    const result = await edit.execute(params, never);
    expect(result.error).toEqual({
      code: 'conflict',
      message:
        'a.txt was changed by someone else in the same part (now line 2), so nothing was written. What they changed:\n@@ -1,5 +1,5 @@\n one\n-two\n+zwei\n three\n four\n five\nTake their change into account and repeat the call.',
    });
    expect(read('a.txt')).toBe(file.replace('two', 'zwei'));
  });

  test('again and again while it is being written: it still ends well', async () => {
    const changing = open({ 'a.txt': file });
    let round = 0;
    changing.beforeCommit = () => {
      if (round++ < 2) changing.write('a.txt', `${file}round ${round}\n`);
    };
    expect(await changing.runEdit('a.txt', 'two', 'TWO')).toContain('Edited a.txt');
    expect(changing.read('a.txt')).toBe(`${file.replace('two', 'TWO')}round 2\n`);
  });

  test('removed, or made by someone else: a conflict', async () => {
    const changing = open({ 'a.txt': file });
    changing.beforeCommit = async () => void (await changing.commit({ 'a.txt': null }));
    expect(await changing.runEdit('a.txt', 'two', 'TWO')).toMatch(/^conflict: .*a\.txt is gone/);
    changing.beforeCommit = () => void changing.write('new.txt', 'theirs\n');
    expect(await changing.runWrite('new.txt', 'ours\n')).toMatch(/^conflict: .*new\.txt exists by now/);
    expect(changing.read('new.txt')).toBe('theirs\n');
  });
});

describe('write_file over a version that the model did not see', () => {
  test('brings both together when the changes are apart', async () => {
    const { runWrite, show, write, read } = open({ 'a.txt': file }, { forModel: true });
    await show('a.txt');
    write('a.txt', file.replace('six', 'SIX'));
    expect(await runWrite('a.txt', file.replace('one', 'ONE'))).toBe(
      'Wrote a.txt: 1 line added, 1 removed.\nSomeone else had changed other lines of a.txt meanwhile; they were kept:\n@@ -3,4 +3,4 @@\n three\n four\n five\n-six\n+SIX',
    );
    expect(read('a.txt')).toBe(file.replace('one', 'ONE').replace('six', 'SIX'));
  });

  test('is a conflict in the same part', async () => {
    const { runWrite, show, write, read } = open({ 'a.txt': file }, { forModel: true });
    await show('a.txt');
    write('a.txt', file.replace('two', 'zwei'));
    expect(await runWrite('a.txt', file.replace('two', 'deux'))).toMatch(
      /^conflict: a\.txt was changed by someone else in the same part/,
    );
    expect(read('a.txt')).toBe(file.replace('two', 'zwei'));
  });

  test('asks to read again when the older version was not kept', async () => {
    const { runWrite, seen, path, read } = open({ 'a.txt': file }, { forModel: true });
    seen.saw(path('a.txt'), { hash: 'of an older version' });
    expect(await runWrite('a.txt', 'x\n')).toBe(
      'conflict: a.txt has changed since you last saw it, so it was not overwritten. Read it again, then repeat the call.',
    );
    expect(read('a.txt')).toBe(file);
  });
});

test('a place that was unique when the model saw it is found among copies made since', async () => {
  const { runEdit, show, write, read } = open({ 'a.txt': 'a\nx\nb\n' }, { forModel: true });
  await show('a.txt');
  write('a.txt', 'a\nx\nb\nmore\nx\n');
  expect(await runEdit('a.txt', 'x', 'y')).toContain('Edited a.txt: 1 replacement at line 2.');
  expect(read('a.txt')).toBe('a\ny\nb\nmore\nx\n');
});

test('a cancelled call writes nothing', async () => {
  const tools = open({ 'a.txt': file });
  const controller = new AbortController();
  tools.beforeCommit = () => controller.abort({ kind: 'user' });
  const result = await tools.edit.execute(
    { file_path: 'a.txt', old_string: 'two', new_string: '2' },
    controller.signal,
  );
  expect(result.error?.code).toBe('cancelled');
  expect(tools.read('a.txt')).toBe(file);
});
