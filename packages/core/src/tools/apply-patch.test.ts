import { statSync } from 'node:fs';
import { textOf } from '@toolwright/machine/base/content.js';
import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApplyPatchTool } from './apply-patch.js';
import { noteEditorText } from './text-change/editor-text.js';
import { patchOf } from './text-change/fixtures/patch-of.js';
import { never, openTextTools, type TextToolsOptions } from './text-change/fixtures/text-tools.js';
import { locateHunks } from './text-change/patch/locate-hunks.js';
import { parsePatch } from './text-change/patch/parse-patch.js';

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

function open(content: TextToolsOptions['content'], options: TextToolsOptions = {}) {
  const tools = openTextTools(content, options);
  const commit = async (
    ...[planned, signal]: Parameters<ConstructorParameters<typeof ApplyPatchTool>[1]['commit']>
  ) => {
    await tools.beforeCommit();
    return (await tools.changes.commit(planned, { signal })).id;
  };
  const tool = new ApplyPatchTool(tools, { commit, seen: options.forModel ? tools.seen : undefined });
  const run = async (...lines: string[]) => {
    const { llmContent, error } = await tool.execute({ patch: patch(...lines) }, never);
    return error ? `${error.code}: ${error.message}` : textOf(llmContent);
  };
  return { ...tools, tools, tool, run };
}

const five = 'one\ntwo\nthree\nfour\nfive\n';

describe('apply_patch', () => {
  test.each([
    ['changed', ['*** Update File: a.txt', '-one', '+1'], 'a.txt'],
    ['deleted', ['*** Delete File: a.txt'], 'a.txt'],
    ['created', ['*** Add File: new.txt', '+1'], 'new.txt'],
    ['moved onto', ['*** Update File: b.txt', '*** Move to: new.txt', '-one', '+1'], 'new.txt'],
  ])('a file with unsaved text in the editor is not %s', async (_how, lines, name) => {
    const { tools, run } = open({ 'a.txt': five, 'b.txt': five }, { forModel: true });
    const show = (path: string, text: string) =>
      noteEditorText({ path: tools.path(path), text }, { host: tools, seen: tools.seen }, never);
    await show('b.txt', five);
    expect(await show(name, 'mine\n')).toBe('unsaved');
    expect(await run(...lines)).toContain(
      `conflict: ${name} is open in the user's editor with changes that are not saved, so it was not changed.`,
    );
    expect([tools.read('a.txt'), tools.read('b.txt')]).toEqual([five, five]);
  });

  test('adds, changes, moves and deletes files in one change set', async () => {
    const { run, read, exists, recorded, path } = withExists(
      open({ 'a.txt': five, 'b.txt': five, 'c.txt': 'bye\n' }),
    );
    expect(
      await run(
        '*** Add File: new/d.txt',
        '+hello',
        '*** Update File: a.txt',
        ' one',
        '-two',
        '+TWO',
        '*** Update File: b.txt',
        '*** Move to: sub/b.txt',
        '-five',
        '+FIVE',
        '*** Delete File: c.txt',
      ),
    ).toBe(
      'Created new/d.txt.\na.txt: changed at line 2.\nb.txt: moved to sub/b.txt, changed at line 5.\nDeleted c.txt.',
    );
    expect([read('new/d.txt'), read('a.txt'), read('sub/b.txt')]).toEqual([
      'hello\n',
      five.replace('two', 'TWO'),
      five.replace('five', 'FIVE'),
    ]);
    expect([exists('b.txt'), exists('c.txt')]).toEqual([false, false]);
    expect(statSync(path('sub/b.txt')).mode).toBe(statSync(path('a.txt')).mode);
    expect(recorded).toHaveLength(1);
  });

  test('changes nothing at all when one hunk is not found, and shows the nearest lines', async () => {
    const { run, read, recorded } = open({ 'a.txt': five, 'b.txt': five });
    const told = await run(
      '*** Update File: a.txt',
      '-two',
      '+TWO',
      '*** Update File: b.txt',
      ' one',
      '-twoo',
      '+x',
    );
    expect(told).toMatch(
      /^not_found: Hunk 1 of b\.txt \(line 6 of the patch\) was not found\. Nothing was changed\./,
    );
    expect(read('a.txt')).toBe(five);
    expect(recorded).toEqual([]);
  });

  test('refuses a hunk that stands in several places until a line above it is named', async () => {
    const text = 'def a():\n  x = 1\n\ndef b():\n  x = 1\n';
    const { run, read } = open({ 'a.py': text });
    expect(await run('*** Update File: a.py', '-  x = 1', '+  x = 2')).toBe(
      'invalid_params: Hunk 1 of a.py (line 3 of the patch) fits at lines 2, 5. Nothing was changed. Add lines around it, or a line "@@ LINE ABOVE", until it is unique.',
    );
    expect(await run('*** Update File: a.py', '@@ def b():', '-  x = 1', '+  x = 2')).toBe(
      'a.py: changed at line 5.',
    );
    expect(read('a.py')).toBe('def a():\n  x = 1\n\ndef b():\n  x = 2\n');
    expect(await run('*** Update File: a.py', '@@ def c():', '-  x', '+  y')).toContain(
      'the line "def c():" of its "@@"',
    );
  });

  test('matches whole lines only, and keeps endings and bytes around them', async () => {
    const { run, readBytes } = open({ 'a.txt': 'xfive\r\nfive\r\nlast' });
    await run('*** Update File: a.txt', '-five', '+5', '+6');
    expect(Buffer.from(readBytes('a.txt')).toString()).toBe('xfive\r\n5\r\n6\r\nlast');
    await run('*** Update File: a.txt', ' last', '+more', '*** End of File');
    expect(Buffer.from(readBytes('a.txt')).toString()).toBe('xfive\r\n5\r\n6\r\nlast\r\nmore\r\n');
  });

  test('puts lines without any to look for below the line that is named, or at the end', async () => {
    const { run, read } = open({ 'a.txt': five });
    await run('*** Update File: a.txt', '@@ two', '+between', '@@', '+end', '*** End of File');
    expect(read('a.txt')).toBe('one\ntwo\nbetween\nthree\nfour\nfive\nend\n');
  });

  test('finds the hunk that ends the file by its mark', async () => {
    const { run, read } = open({ 'a.txt': 'x\nx\nx\n' });
    await run('*** Update File: a.txt', '-x', '+y', '*** End of File');
    expect(read('a.txt')).toBe('x\nx\ny\n');
  });

  test('does not overwrite: a new file that is there, a move to a file that is there, a missing file', async () => {
    const { run } = open({ 'a.txt': five, 'b.txt': five });
    expect(await run('*** Add File: a.txt', '+x')).toMatch(/^invalid_params: a\.txt exists already\./);
    expect(await run('*** Update File: a.txt', '*** Move to: b.txt')).toMatch(
      /^invalid_params: b\.txt exists already/,
    );
    expect(await run('*** Delete File: c.txt')).toMatch(/^not_found: c\.txt does not exist\./);
    expect(await run('*** Add File: ../x', '+x')).toMatch(/^outside_workspace: /);
  });

  test('asks a model to read a file before it is changed or deleted', async () => {
    const { run, tools } = open({ 'a.txt': five }, { forModel: true });
    expect(await run('*** Update File: a.txt', '-two', '+TWO')).toMatch(
      /^conflict: a\.txt has not been read/,
    );
    expect(await run('*** Delete File: a.txt')).toMatch(/^conflict: a\.txt has not been read/);
    await tools.show('a.txt');
    expect(await run('*** Update File: a.txt', '-two', '+TWO')).toBe('a.txt: changed at line 2.');
    expect(await run('*** Update File: a.txt', '-TWO', '+2')).toBe('a.txt: changed at line 2.');
  });

  test('keeps what somebody else changed in another part meanwhile', async () => {
    const { tools, run, read, write } = open({ 'a.txt': five });
    let raced = false;
    tools.beforeCommit = () => {
      if (!raced) write('a.txt', five.replace('five', 'FIVE'));
      raced = true;
    };
    expect(await run('*** Update File: a.txt', '-two', '+TWO')).toBe('a.txt: changed at line 2.');
    expect(read('a.txt')).toBe(five.replace('two', 'TWO').replace('five', 'FIVE'));
  });

  test('shows the whole change before it is made, with its effects', async () => {
    const { tool, path } = open({ 'a.txt': five, 'b.txt': 'x\n' });
    const text = patch('*** Update File: a.txt', '-two', '+TWO', '*** Delete File: b.txt');
    expect(tool.getDescription({ patch: text })).toBe('Patch 2 files');
    expect(tool.effects({ patch: text })).toEqual([
      { kind: 'read', path: path('a.txt') },
      { kind: 'write', path: path('a.txt') },
      { kind: 'read', path: path('b.txt') },
      { kind: 'delete', path: path('b.txt') },
    ]);
    const details = await tool.shouldConfirmExecute({ patch: text }, never);
    expect(details).toMatchObject({
      kind: 'edit',
      title: 'Patch 2 files',
      diff: {
        files: [
          { path: 'b.txt', change: 'delete' },
          { path: 'a.txt', change: 'modify', added: 1, removed: 1 },
        ],
      },
    });
  });
});

const line = fc.constantFrom('a', 'b', 'c', '', '  d', '\te', 'f {', '}');
const linesOfText = fc
  .array(line, { minLength: 1, maxLength: 30 })
  .map((lines) => lines.map((each) => `${each}\n`).join(''));

test('a patch made of two texts turns one into the other, or is refused as ambiguous', async () => {
  let exact = 0;
  await fc.assert(
    fc.asyncProperty(linesOfText, linesOfText, async (before, after) => {
      if (before === after) return;
      const [file] = parsePatch(await patchOf('a', before, after));
      if (file?.kind !== 'update') throw new Error('no update');
      const located = await locateHunks(before, file.hunks, 'a').catch((error: Error) => error);
      if (located instanceof Error) expect(located.message).toMatch(/fits at lines|was not found/);
      else {
        expect(applyEdits(before, located.edits)).toBe(after);
        exact += 1;
      }
    }),
    { numRuns: 300 },
  );
  expect(exact).toBeGreaterThan(150);
});

function withExists<Opened extends { path(name: string): string }>(opened: Opened) {
  const exists = (name: string) => statSync(opened.path(name), { throwIfNoEntry: false }) !== undefined;
  return { ...opened, exists };
}
