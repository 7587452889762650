import { statSync } from 'node:fs';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { declaredWords, openBuiltin } from './fixtures/open-builtin.js';
import { never, openTextTools as open } from './text-change/fixtures/text-tools.js';

describe('write_file', () => {
  test('creates a file with the folders it needs', async () => {
    const { runWrite, read } = open({});
    expect(await runWrite('x/y/a.txt', 'one\ntwo\n')).toBe('Created x/y/a.txt (2 lines).');
    expect(read('x/y/a.txt')).toBe('one\ntwo\n');
  });

  test('a new file gets exactly the bytes of its content', async () => {
    const { runWrite, readBytes } = open({});
    await runWrite('a.txt', 'é\r\n😀');
    expect(readBytes('a.txt')).toEqual(Buffer.from('é\r\n😀'));
  });

  test('replaces a file and says how much changed', async () => {
    const { runWrite, read, path } = open({ 'a.txt': 'one\ntwo\nthree\n' });
    const before = statSync(path('a.txt')).mode;
    expect(await runWrite('a.txt', 'one\n2\nthree\nfour\n')).toBe('Wrote a.txt: 2 lines added, 1 removed.');
    expect(read('a.txt')).toBe('one\n2\nthree\nfour\n');
    expect(statSync(path('a.txt')).mode).toBe(before);
  });

  test('shows the user the diff', async () => {
    const { writeFile } = open({ 'a.txt': 'one\n' });
    const result = await writeFile.execute({ file_path: 'a.txt', content: 'two\n' }, never);
    expect(result.returnDisplay).toMatchObject({
      kind: 'diff',
      files: [{ path: 'a.txt', change: 'modify', added: 1, removed: 1 }],
    });
    expect(result.changeSet).toBeTypeOf('string');
  });

  test('writes nothing where the content is there already', async () => {
    const { runWrite, recorded } = open({ 'a.txt': 'one\r\n' });
    expect(await runWrite('a.txt', 'one\n')).toBe(
      'a.txt already has exactly this content; nothing was written.',
    );
    expect(recorded).toEqual([]);
  });

  test('keeps CRLF, and mixed line endings line by line', async () => {
    const { runWrite, readBytes } = open({ 'a.txt': 'a\r\nb\r\n', 'mixed.txt': 'a\nb\r\nc\n' });
    await runWrite('a.txt', 'a\nnew\nb\n');
    expect(readBytes('a.txt').toString()).toBe('a\r\nnew\r\nb\r\n');
    await runWrite('mixed.txt', 'a\nb\nC\n');
    expect(readBytes('mixed.txt').toString()).toBe('a\nb\r\nC\n');
  });

  test('keeps the byte order mark, and never writes two', async () => {
    const { runWrite, readBytes } = open({ 'a.txt': '\uFEFFone\n', 'b.txt': '\uFEFFone\n' });
    await runWrite('a.txt', 'two\n');
    await runWrite('b.txt', '\uFEFFtwo\n');
    expect(readBytes('a.txt')).toEqual(Buffer.from('\uFEFFtwo\n'));
    expect(readBytes('b.txt')).toEqual(Buffer.from('\uFEFFtwo\n'));
  });

  test('keeps the encoding, and refuses what it can not express', async () => {
    const content = { 'a.txt': iconv.encode('// 初始化配置\nint a;\n', 'gbk') };
    const { runWrite, readBytes } = open(content);
    expect(await runWrite('a.txt', '// 初始化\nint b;\n')).toBe(
      'Wrote a.txt: 2 lines added, 2 removed.\nEncoding kept: gbk.',
    );
    expect(readBytes('a.txt')).toEqual(iconv.encode('// 初始化\nint b;\n', 'gbk'));
    expect(await runWrite('a.txt', '// 😀\n')).toMatch(
      /^invalid_params: The file is encoded in gbk, which has no "😀" \(U\+1F600\)/,
    );
    expect(readBytes('a.txt')).toEqual(iconv.encode('// 初始化\nint b;\n', 'gbk'));
  });

  test('malformed bytes in lines that stay are kept', async () => {
    const bytes = Buffer.concat([
      Buffer.from('é à ü ñ\n'),
      Buffer.from([0x63, 0xe9, 0x0a]),
      Buffer.from('end\n'),
    ]);
    const { runWrite, readBytes } = open({ 'a.txt': bytes });
    await runWrite('a.txt', 'é à ü ñ\nc\uFFFD\nnew end\n');
    expect(readBytes('a.txt')).toEqual(Buffer.concat([bytes.subarray(0, -4), Buffer.from('new end\n')]));
    expect(await runWrite('a.txt', 'é à ü ñ\nd\uFFFDd\n')).toMatch(/^invalid_params: .*U\+FFFD/);
  });

  test('the last line ends as given', async () => {
    const { runWrite, read } = open({ 'a.txt': 'a\n' });
    await runWrite('a.txt', 'a');
    expect(read('a.txt')).toBe('a');
    await runWrite('a.txt', '');
    expect(read('a.txt')).toBe('');
  });

  test('does not write over a binary file or a folder', async () => {
    const { runWrite } = open({ 'a.png': Uint8Array.of(0x89, 0x50, 0, 0, 1, 2, 3), 'dir/b': '' });
    expect(await runWrite('a.png', 'x')).toMatch(/^failed: a\.png is a binary file/);
    expect(await runWrite('dir', 'x')).toMatch(/^invalid_params: dir is a folder/);
  });

  test('the question shows the diff; what the user writes instead is the new content', async () => {
    const { writeFile, read, path } = open({ 'a.txt': 'a\n' });
    const params = { file_path: 'a.txt', content: 'b\n' };
    expect(await writeFile.shouldConfirmExecute(params, never)).toMatchObject({
      kind: 'edit',
      title: 'Overwrite a.txt',
      effects: [{ kind: 'write', path: path('a.txt') }],
      modifiable: { path: path('a.txt'), content: 'b\n' },
    });
    const modified = await writeFile.modify(params, 'mine\n', never);
    expect(await writeFile.shouldConfirmExecute(modified, never)).toMatchObject({
      modifiable: { content: 'mine\n' },
    });
    await writeFile.execute(modified, never);
    expect(read('a.txt')).toBe('mine\n');
  });

  test('a path is told as the user knows it; one that lies outside stays as it is', () => {
    const { writeFile, directory } = open({});
    const described = (path: string) => writeFile.getDescription({ file_path: path, content: 'a\n' });
    expect([described(`${directory}/src/a.txt`), described('/nowhere/a.txt')]).toEqual([
      'Write src/a.txt (1 line)',
      'Write /nowhere/a.txt (1 line)',
    ]);
  });

  test('what the user writes instead is taken as it is, even if it looks cut off', async () => {
    const { writeFile, read } = open({ 'a.txt': 'a\nb\nc\n' });
    const params = { file_path: 'a.txt', content: 'b\n' };
    const modified = await writeFile.modify(params, 'a\n// ... rest of the code\n', never);
    expect(writeFile.getDescription(modified)).toBe('Write a.txt (2 lines)');
    await writeFile.execute(modified, never);
    expect(read('a.txt')).toBe('a\n// ... rest of the code\n');
  });
});

describe('content that was cut off', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const file = `${lines.join('\n')}\n`;

  test.each([
    '// ... rest of the code unchanged',
    '# ... existing code ...',
    '/* … remaining methods stay the same */',
    '<!-- rest of the file remains unchanged -->',
    '[truncated]',
    '... (rest of file omitted)',
    '-- remaining functions unchanged',
  ])('an elision in place of the rest is refused: %s', async (elision) => {
    const { runWrite, read } = open({ 'a.txt': file });
    expect(await runWrite('a.txt', `line 0\nchanged\n${elision}\n`)).toMatch(
      /^invalid_params: content looks cut off: its line 3/,
    );
    expect(read('a.txt')).toBe(file);
  });

  test('an elision in the middle is refused too', async () => {
    const { runWrite } = open({ 'a.txt': file });
    expect(await runWrite('a.txt', 'line 0\n// ... existing code ...\nline 39\n')).toContain('looks cut off');
  });

  test('text that is a beginning of the file is written: only the end of the answer tells whether it was cut', async () => {
    const { runWrite, read } = open({ VERSION: '1.0.10\n' });
    expect(await runWrite('VERSION', '1.0.1')).toBe('Wrote VERSION: 1 line added, 1 removed.');
    expect(read('VERSION')).toBe('1.0.1');
  });

  test('in a new file only at its end', async () => {
    const { runWrite } = open({});
    expect(await runWrite('a.md', 'text\n# ... rest of the file unchanged\n')).toContain('looks cut off');
    expect(await runWrite('b.md', 'Write:\n// ... existing code ...\nand more\nlines\nfollow\n')).toContain(
      'Created b.md',
    );
  });

  test('what the file says already is left alone, and where a file grows, what can mean something else', async () => {
    const { runWrite } = open({ 'a.md': `// ... existing code ...\n${file}`, 'b.md': 'short\n' });
    expect(await runWrite('a.md', '// ... existing code ...\nline 1\n')).toContain('Wrote a.md');
    expect(await runWrite('b.md', `${file}// ... existing code ...\n`)).toContain('looks cut off: its line');
    expect(await runWrite('b.md', `${file}// existing code here\n`)).toContain('Wrote b.md');
  });

  test('ordinary text with dots is no elision', async () => {
    const { runWrite } = open({ 'a.md': file });
    const text =
      'And so on...\n...args\nconst rest = [...others];\nThe rest of the story is told elsewhere.\n// remaining: 5\n';
    expect(await runWrite('a.md', text)).toContain('Wrote a.md');
  });

  test('edit refuses an elision that would swallow lines', async () => {
    const { runEdit, read } = open({ 'a.txt': file });
    expect(
      await runEdit('a.txt', lines.slice(2, 9).join('\n'), 'line 2\n// ... existing code ...\nline 8'),
    ).toContain('new_string looks cut off: its line 2');
    expect(read('a.txt')).toBe(file);
  });
});

describe('a file with a secret that the model was shown as a placeholder', () => {
  test('is not overwritten with the placeholder', async () => {
    const { runWrite, show, read } = open({ '.env': 'A=1\nKEY=hunter2\n' }, { forModel: true });
    await show('.env');
    expect(await runWrite('.env', 'A=2\nKEY=[redacted]\n')).toBe(
      'invalid_params: .env holds secrets that you were shown as [redacted]; written like this they would be lost. Nothing was written. Change only the other parts.',
    );
    expect(read('.env')).toBe('A=1\nKEY=hunter2\n');
  });

  test('may be overwritten with something else, and text about placeholders may be written', async () => {
    const { runWrite, show } = open({ '.env': 'KEY=hunter2\n', 'doc.md': 'x\n' }, { forModel: true });
    await show('.env');
    await show('doc.md');
    expect(await runWrite('.env', 'KEY=\n')).toContain('Wrote .env');
    expect(await runWrite('doc.md', 'Secrets are shown as [redacted].\n')).toContain('Wrote doc.md');
  });
});

describe('write_file as a built-in tool', () => {
  test('keeps what users of a tool rely on', async () => {
    await using builtin = await openBuiltin('write_file');
    expect(
      await builtin.check({ valid: [{ file_path: builtin.temp.path('new/b.txt'), content: 'x\n' }] }),
    ).toEqual([]);
  });

  test('is declared to the model in these words', async () => {
    expect(await declaredWords('write_file')).toMatchInlineSnapshot(`
      [
        "write_file: Writes a whole text file: a new one, with the folders it needs, or in place of an existing one, whose encoding and line endings are kept. Read an existing file first; content must be complete, never shortened with "..." or the like. Not for changing a part of a file.",
        "file_path {"type":"string","minLength":1,"description":"File to write."}",
        "content {"type":"string","description":"The complete content."}",
      ]
    `);
  });
});
