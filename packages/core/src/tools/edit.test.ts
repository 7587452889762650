import { chmodSync, lstatSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EditTool } from './edit.js';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { never, openTextTools as open } from './text-change/fixtures/text-tools.js';

const five = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

describe('edit', () => {
  test('replaces text and answers with the lines as they are now', async () => {
    const { runEdit, read } = open({ 'a.txt': five });
    expect(await runEdit('a.txt', 'five', 'FIVE')).toBe(
      [
        'Edited a.txt: 1 replacement at line 5.',
        'Lines 2-8 now:',
        'two',
        'three',
        'four',
        'FIVE',
        'six',
        'seven',
        'eight',
      ].join('\n'),
    );
    expect(read('a.txt')).toBe(five.replace('five', 'FIVE'));
  });

  test('shows the user the diff, and names the change set for undo', async () => {
    const { edit, recorded } = open({ 'src/a.txt': 'a\nb\n' });
    const result = await edit.execute({ file_path: 'src/a.txt', old_string: 'b', new_string: 'c' }, never);
    expect(result.returnDisplay).toEqual({
      kind: 'diff',
      files: [
        {
          path: 'src/a.txt',
          change: 'modify',
          unified: '--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
          added: 1,
          removed: 1,
        },
      ],
    });
    expect(result.changeSet).toBe(recorded[0]?.changeSet.id);
  });

  test('says which relaxation found the place', async () => {
    const { runEdit } = open({ 'a.py': 'if x:\n\ta()\n' });
    expect(await runEdit('a.py', 'if x:\n    a()', 'if x:\n    b()')).toBe(
      "Edited a.py: 1 replacement at line 1.\nold_string was found by overlooking indentation; unchanged text keeps the file's own.\nLines 1-2 now:\nif x:\n\tb()",
    );
  });

  test('replaces every occurrence when asked', async () => {
    const { runEdit, read } = open({ 'a.txt': 'a b\nb\n' });
    expect(await runEdit('a.txt', 'b', 'c', { replace_all: true })).toContain(
      '2 replacements at lines 1, 2.',
    );
    expect(read('a.txt')).toBe('a c\nc\n');
  });

  test('honours expected_replacements', async () => {
    const { runEdit, read } = open({ 'a.txt': 'a\na\na\n' });
    expect(await runEdit('a.txt', 'a', 'b', { expected_replacements: 2 })).toBe(
      'invalid_params: expected_replacements is 2, but old_string matches 3 places in a.txt: lines 1, 2, 3. Nothing was changed.',
    );
    expect(await runEdit('a.txt', 'a', 'b', { expected_replacements: 1 })).toContain('matches 3 places');
    expect(await runEdit('a.txt', 'a', 'b', { expected_replacements: 1.5 })).toContain(
      'a whole number above 0',
    );
    expect(await runEdit('a.txt', 'a', 'b', { expected_replacements: 3 })).toContain('3 replacements');
    expect(read('a.txt')).toBe('b\nb\nb\n');
  });

  test('a path is told as the user knows it, and a call without its texts creates nothing in words', () => {
    const { edit, directory } = open({ 'a.txt': five });
    const path = { file_path: `${directory}/a.txt` };
    expect(edit.getDescription({ ...path, old_string: 'one', new_string: 'ONE' })).toBe(
      'Edit a.txt: "one" becomes "ONE"',
    );
    expect(edit.getDescription(path)).toBe('Edit a.txt');
  });

  test('creates a file and its folders from an empty old_string', async () => {
    const { runEdit, read, edit } = open({});
    expect(edit.getDescription({ file_path: 'x/y/a.txt', old_string: '', new_string: 'a' })).toBe(
      'Create x/y/a.txt',
    );
    expect(await runEdit('x/y/a.txt', '', 'new\n')).toBe('Created x/y/a.txt.\nLine 1 now:\nnew');
    expect(read('x/y/a.txt')).toBe('new\n');
  });

  test('fills a file that is empty, keeping its byte order mark', async () => {
    const { runEdit, readBytes } = open({ 'a.txt': '\uFEFF' });
    expect(await runEdit('a.txt', '', 'é\n')).toContain('Edited a.txt');
    expect(readBytes('a.txt')).toEqual(Buffer.from('\uFEFFé\n'));
  });

  test('does not create a file that is there', async () => {
    const { runEdit, read } = open({ 'a.txt': 'a\n' });
    expect(await runEdit('a.txt', '', 'b')).toMatch(
      /^invalid_params: a\.txt exists already and is not empty/,
    );
    expect(read('a.txt')).toBe('a\n');
  });

  test('a missing file, a folder, a binary file: each says what it is', async () => {
    const { runEdit } = open({
      'notes.txt': 'a',
      'dir/b': '',
      'c.png': Uint8Array.of(0x89, 0x50, 0, 0, 1, 2, 3),
    });
    expect(await runEdit('note.txt', 'a', 'b')).toBe(
      'not_found: note.txt does not exist. Did you mean notes.txt? To create it, send an empty old_string.',
    );
    expect(await runEdit('dir', 'a', 'b')).toBe(
      'invalid_params: dir is a folder, not a file. Give the path of a text file.',
    );
    expect(await runEdit('c.png', 'a', 'b')).toMatch(/^failed: c\.png is a binary file \(7 bytes\)/);
    expect(await runEdit('../x', 'a', 'b')).toMatch(/^outside_workspace: /);
  });

  test('does not name a file that rules keep from the model', async () => {
    const { files, workspace, ids, path } = open({ 'secret.txt': 'a' });
    const hidden = (name: string) => name === path('secret.txt');
    const guarded = new EditTool({ files, workspace, ids }, { commit: async () => '', hidden });
    const result = await guarded.execute(
      { file_path: 'secrets.txt', old_string: 'a', new_string: 'b' },
      never,
    );
    expect(result.error?.message).toBe(
      'secrets.txt does not exist. Use glob to look for it. To create it, send an empty old_string.',
    );
  });

  test('takes the other spellings of its parameters', async () => {
    const { edit, path, read } = open({ 'a.txt': 'a\n' });
    const params = { absolute_path: path('a.txt'), old_string: 'a', new_string: 'b' };
    await edit.execute(params as never, never);
    expect(read('a.txt')).toBe('b\n');
    expect(edit.nameAliases).toEqual(['replace']);
  });

  test('writes through a link and keeps modes and hard links', async () => {
    const { runEdit, symlink, read, path } = open({ 'real.sh': 'a\n' });
    chmodSync(path('real.sh'), 0o755);
    symlink('link.sh', 'real.sh');
    await runEdit('link.sh', 'a', 'b');
    expect(read('real.sh')).toBe('b\n');
    expect(lstatSync(path('link.sh')).isSymbolicLink()).toBe(true);
    expect(statSync(path('real.sh')).mode & 0o777).toBe(0o755);
  });

  test('a NUL or half a character is not written', async () => {
    const { runEdit, read } = open({ 'a.txt': 'a\n' });
    expect(await runEdit('a.txt', 'a', 'b\0')).toMatch(/^invalid_params: .*NUL/);
    expect(await runEdit('a.txt', 'a', '\uD83D')).toMatch(/^invalid_params: .*lone surrogate/);
    expect(read('a.txt')).toBe('a\n');
  });
});

describe('the question', () => {
  const params = { file_path: 'a.txt', old_string: 'b', new_string: 'c' };

  test('shows what will be committed, and the same plan is committed', async () => {
    const { edit, path, read } = open({ 'a.txt': 'a\nb\n' });
    const frozen = Object.freeze({ ...params });
    const details = await edit.shouldConfirmExecute(frozen, never);
    expect(details).toEqual({
      kind: 'edit',
      title: 'Edit a.txt',
      diff: { kind: 'diff', files: [expect.objectContaining({ path: 'a.txt', added: 1, removed: 1 })] },
      effects: [{ kind: 'write', path: path('a.txt') }],
      modifiable: { path: path('a.txt'), content: 'a\nc\n' },
    });
    expect(read('a.txt')).toBe('a\nb\n');
    const result = await edit.execute(frozen, never);
    expect(result.returnDisplay).toEqual(details && 'diff' in details ? details.diff : null);
    expect(read('a.txt')).toBe('a\nc\n');
  });

  test('names the link as well as the file behind it', async () => {
    const { edit, path, symlink } = open({ 'real.txt': 'b\n' });
    symlink('a.txt', 'real.txt');
    expect(await edit.shouldConfirmExecute(params, never)).toMatchObject({
      effects: [
        { kind: 'write', path: path('real.txt') },
        { kind: 'write', path: path('a.txt') },
        { kind: 'read', path: path('real.txt') },
      ],
    });
  });

  test('has no effect when there is nothing to change', async () => {
    const { edit } = open({ 'a.txt': 'a\nccc\nd\n' });
    const details = await edit.shouldConfirmExecute(
      { file_path: 'a.txt', old_string: 'a\nbbb\nd', new_string: 'a\nccc\nd' },
      never,
    );
    expect(details).toMatchObject({ kind: 'edit', effects: [], diff: { files: [] } });
  });

  test('the user may write another version: it is planned, and line endings are kept', async () => {
    const { edit, readBytes } = open({ 'a.txt': 'a\r\nb\r\n' });
    await edit.shouldConfirmExecute(params, never);
    const modified = await edit.modify(params, 'a\nmine\n', never);
    const details = await edit.shouldConfirmExecute(modified, never);
    expect(details).toMatchObject({ modifiable: { content: 'a\r\nmine\r\n' } });
    await edit.execute(modified, never);
    expect(readBytes('a.txt').toString()).toBe('a\r\nmine\r\n');
  });

  test('a new file may be written otherwise by the user', async () => {
    const { edit, read } = open({});
    const creation = { file_path: 'n.txt', old_string: '', new_string: 'theirs\n' };
    const modified = await edit.modify(creation, 'mine\n', never);
    expect((await edit.execute(modified, never)).llmContent).toContain('Created n.txt.');
    expect(read('n.txt')).toBe('mine\n');
  });

  test('what the user wrote is not put over a version they did not see', async () => {
    const { edit, write, read } = open({ 'a.txt': 'a\nb\n' });
    await edit.shouldConfirmExecute(params, never);
    const modified = await edit.modify(params, 'a\nmine\n', never);
    write('a.txt', 'other\n');
    const result = await edit.execute(modified, never);
    expect(result.error?.code).toBe('conflict');
    expect(read('a.txt')).toBe('other\n');
  });

  test('what the user wrote is merged with a change of other lines that they did not see', async () => {
    const { edit, write, read } = open({ 'a.txt': 'a\nb\nc\nd\ne\n' });
    await edit.shouldConfirmExecute(params, never);
    const modified = await edit.modify(params, 'a\nmine\nc\nd\ne\n', never);
    write('a.txt', 'a\nb\nc\nd\nE\n');
    const result = await edit.execute(modified, never);
    expect(result.llmContent).toContain('Someone else had changed other lines of a.txt meanwhile');
    expect(read('a.txt')).toBe('a\nmine\nc\nd\nE\n');
  });

  test('what the user wrote belongs to one params object: no copy of it, and so no model, can repeat it', async () => {
    const { edit, read } = open({ 'a.txt': 'a\nb\n' });
    await edit.shouldConfirmExecute(params, never);
    const modified = await edit.modify(params, 'a\nmine\n', never);
    expect(modified).toEqual(params);
    await edit.execute({ ...modified }, never);
    expect(read('a.txt')).toBe(`a\n${params.new_string}\n`);
  });

  test('a refused plan leaves nothing behind', async () => {
    const { edit, tree } = open({ 'a.txt': 'b\n' });
    await edit.shouldConfirmExecute(params, never);
    await edit.discard(params);
    expect(tree()).toEqual({ 'a.txt': 'b\n' });
  });
});

test('the declaration of edit is short', () => {
  const { edit, writeFile } = open({});
  for (const { name, description, parameterSchema } of [edit, writeFile]) {
    expect(description.length).toBeGreaterThan(250);
    expect(JSON.stringify({ name, description, parameterSchema }).length).toBeLessThan(1_200);
  }
});

describe('edit as a built-in tool', () => {
  test('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('edit', { 'notes.txt': 'old\nold text\n' });
    expect(
      await builtin.check({
        valid: [
          { file_path: builtin.temp.path('notes.txt'), old_string: 'old text', new_string: 'new text' },
          { file_path: builtin.temp.path('notes.txt'), old_string: 'not there', new_string: 'x' },
        ],
      }),
    ).toEqual([]);
  });

  test('is declared to the model in these words', async () => {
    expect(await declaredWords('edit')).toMatchInlineSnapshot(`
      [
        "edit: Replaces text in a file. old_string must be in the file exactly once, with enough lines around it to be unique, unless replace_all is set; copy it from the file, without line numbers. Everything else, including encoding and line endings, is preserved. An empty old_string creates a new file. For several places of one file send edits instead. Read the file first.",
        "file_path {"type":"string","minLength":1,"description":"File to change."}",
        "old_string? {"type":"string","description":"Text to replace; empty to create the file."}",
        "new_string? {"type":"string","description":"Text to put in its place."}",
        "replace_all? {"type":"boolean","description":"Replace every occurrence. Default: false."}",
        "edits? {"type":"array","description":"Instead of old_string and new_string: several edits in order, all or none.","items":{"type":"object","properties":{"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["old_string","new_string"]}}",
      ]
    `);
  });
});
