import { writeFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { never, openTextTools as open } from './text-change/fixtures/text-tools.js';

/** Ways in which edits go wrong in practice, one test or more for each. */

test('tabs typed as blanks: the place is found and the new text indented with tabs', async () => {
  const { runEdit, read } = open({ 'a.go': 'func a() {\n\tif b {\n\t\tc()\n\t}\n}\n' });
  await runEdit(
    'a.go',
    '    if b {\n        c()\n    }',
    '    if b {\n        c()\n        if d {\n            e()\n        }\n    }',
  );
  expect(read('a.go')).toBe('func a() {\n\tif b {\n\t\tc()\n\t\tif d {\n\t\t\te()\n\t\t}\n\t}\n}\n');
});

test('one edit never rewrites the indentation of the rest of the file', async () => {
  const rest = 'x\n\ty\n    z\n\t  w  \n';
  const { runEdit, read } = open({ Makefile: `${rest}all:\n\tcc a\n${rest}` });
  await runEdit('Makefile', 'all:\n    cc a', 'all:\n    cc b');
  expect(read('Makefile')).toBe(`${rest}all:\n\tcc b\n${rest}`);
});

describe('drift', () => {
  const file = 'def f():\n    # one two three\n    # four\n    return 1   \n';

  test('trailing blanks are overlooked', async () => {
    const { runEdit, read } = open({ 'a.py': file });
    await runEdit('a.py', '    # four\n    return 1\n', '    # four\n    return 2\n');
    expect(read('a.py')).toBe(file.replace('return 1   ', 'return 2'));
  });

  test('a reflowed comment is a diagnosis', async () => {
    const { runEdit, read } = open({ 'a.py': file });
    expect(await runEdit('a.py', '    # one two\n    # three four\n    return 1', '    return 2')).toMatch(
      /^not_found: old_string was not found in a\.py; nothing was changed\. The first difference is at line 2/,
    );
    expect(read('a.py')).toBe(file);
  });

  test('drifted indentation is a diagnosis that names the blanks', async () => {
    const { runEdit, read } = open({ 'a.py': file });
    const answer = await runEdit('a.py', '  # one two three\n  # four', '  # x');
    expect(answer).toContain('expected: "  # four"\nfound:    "    # four"');
    expect(read('a.py')).toBe(file);
  });
});

describe('CRLF', () => {
  test('a file with mixed endings keeps each of them, new lines take the neighbours’', async () => {
    const { runEdit, readBytes } = open({ 'a.txt': 'a\r\nb\nc\r\nd\n' });
    await runEdit('a.txt', 'b\nc\nd', 'b\nnew\nc\nd');
    expect(readBytes('a.txt').toString()).toBe('a\r\nb\nnew\nc\r\nd\n');
    await runEdit('a.txt', 'b\nnew\nc', 'first\nb\nnew\nc');
    expect(readBytes('a.txt').toString()).toBe('a\r\nfirst\nb\nnew\nc\r\nd\n');
  });

  test('reading as LF is not a change: no false "modified"', async () => {
    const { runEdit, show, readBytes } = open({ 'a.txt': 'a\r\nb\r\n' }, { forModel: true });
    await show('a.txt');
    expect(await runEdit('a.txt', 'a\nb\n', 'a\nc\n')).not.toContain('Someone else');
    expect(await runEdit('a.txt', 'c', 'd')).toContain('Edited a.txt');
    expect(readBytes('a.txt').toString()).toBe('a\r\nd\r\n');
  });
});

test('line numbers copied from a listing come off, when every line has them', async () => {
  const { runEdit, read } = open({ 'a.txt': 'one\ntwo\nthree\n' });
  await runEdit('a.txt', '     2→two\n     3→three', '     2→two\n     3→drei');
  expect(read('a.txt')).toBe('one\ntwo\ndrei\n');
  expect(await runEdit('a.txt', '2→two\ndrei', 'x')).toMatch(/^not_found: /);
});

describe('characters that look alike', () => {
  test('locate, and the file keeps its own', async () => {
    const { runEdit, read } = open({ 'a.md': 'He said “no” — twice\u00A0times.\n' });
    await runEdit('a.md', 'He said "no" - twice times.', 'She said "no" - twice times.');
    expect(read('a.md')).toBe('She said “no” — twice\u00A0times.\n');
  });

  test('curly quotes of the model do not get into code', async () => {
    const { runEdit, read } = open({ 'a.js': 'f(\'a\', "b");\n' });
    await runEdit('a.js', 'f(‘a’, “b”);', 'g(‘a’, “b”);');
    expect(read('a.js')).toBe('g(\'a\', "b");\n');
  });

  test('are written when the edit is about them', async () => {
    const { runEdit, read } = open({ 'a.md': 'say "a" and “b”\n' });
    await runEdit('a.md', '"a"', '“a”');
    expect(read('a.md')).toBe('say “a” and “b”\n');
    expect(await runEdit('a.md', '“a”', '"a"')).toContain('Edited a.md');
    expect(read('a.md')).toBe('say "a" and “b”\n');
  });
});

test('doubled escapes are taken back once, where the literal text is not there and the result is unique', async () => {
  const { runEdit, read } = open({ 'a.js': 'log("a\\n");\nlog("b");\n' });
  await runEdit('a.js', 'log(\\"b\\");', 'log(\\"c\\");');
  expect(read('a.js')).toBe('log("a\\n");\nlog("c");\n');
  await runEdit('a.js', 'log("a\\n");', 'log("d\\n");');
  expect(read('a.js')).toBe('log("d\\n");\nlog("c");\n');
});

test('a deletion whose new text is a beginning of the old one is made', async () => {
  const { runEdit, read } = open({ 'a.ts': 'const a = f(x, y);\nnext();\n' });
  expect(await runEdit('a.ts', 'const a = f(x, y);\nnext();', 'const a = f(x')).toContain('Edited a.ts');
  expect(read('a.ts')).toBe('const a = f(x\n');
});

test('several places are all listed, with their lines', async () => {
  const { runEdit, read } = open({ 'a.js': 'f(1);\nx();\n  f(1);\n' });
  expect(await runEdit('a.js', 'f(1)', 'g(1)')).toBe(
    'invalid_params: old_string matches 2 places in a.js; nothing was changed.\n1: f(1);\n3:   f(1);\nAdd lines around it until it is unique, or set replace_all.',
  );
  expect(read('a.js')).toBe('f(1);\nx();\n  f(1);\n');
});

test('first and last line alone never swallow what is between them', async () => {
  const file = 'function a() {\n  one();\n  two();\n  three();\n}\n';
  const { runEdit, read } = open({ 'a.js': file });
  expect(await runEdit('a.js', 'function a() {\n  three();\n}', 'x')).toMatch(/^not_found: /);
  expect(read('a.js')).toBe(file);
});

test.each(['   ', '\n', ' \t\n'])('nothing but blanks (%j) is no text to search for', async (oldText) => {
  const { runEdit, read } = open({ 'a.txt': 'a   b\n\n \t\n' });
  expect(await runEdit('a.txt', oldText, 'x')).toMatch(/^invalid_params: old_string is only whitespace/);
  expect(read('a.txt')).toBe('a   b\n\n \t\n');
});

test('the same text twice is no edit', async () => {
  const { runEdit } = open({ 'a.txt': 'a\n' });
  expect(await runEdit('a.txt', 'a', 'a')).toMatch(
    /^invalid_params: old_string and new_string are the same text/,
  );
});

describe('already applied', () => {
  test('is a success that changes nothing and says so', async () => {
    const { runEdit, recorded } = open({ 'a.txt': 'one\ntwo\n' });
    await runEdit('a.txt', 'two', 'three and more');
    expect(await runEdit('a.txt', 'two', 'three and more')).toBe(
      'Nothing to change. old_string is not in a.txt, and new_string is already in its place at line 2: the edit has been made before.',
    );
    expect(recorded).toHaveLength(1);
  });

  test('a deletion made twice says so, too', async () => {
    const { runEdit, read } = open({ 'a.txt': 'one\ntwo\n' });
    await runEdit('a.txt', 'two\n', '');
    expect(await runEdit('a.txt', 'two\n', '')).toBe(
      'Nothing to change. old_string is not in a.txt: the edit has been made before.',
    );
    expect(read('a.txt')).toBe('one\n');
  });

  test('is told from a misspelt old text, also where the new text stands somewhere', async () => {
    const file = 'a = 1;\nb = 2;\nc = 3;\nshow(a, b, c);\n';
    const { runEdit, read } = open({ 'a.txt': file });
    expect(await runEdit('a.txt', 'b = 2;\nc = 4;\nshow(a, b, c);', 'show(a, b, c);')).toMatch(
      /^not_found: old_string was not found in a\.txt; nothing was changed\. The first difference is at line 3, column 5: expected "4", found "3"/,
    );
    expect(await runEdit('a.txt', 'd = 2;', 'show(a')).toContain(
      'new_string is at line 4; if that is the place you mean, nothing is left to do.',
    );
    expect(read('a.txt')).toBe(file);
  });

  test('parallel edits with the same aim both succeed', async () => {
    const { edit, read } = open({ 'a.txt': 'one\ntwo\n' });
    const calls = [1, 2].map(() => ({ file_path: 'a.txt', old_string: 'two', new_string: 'zwei' }));
    for (const call of calls) await edit.shouldConfirmExecute(call, never);
    const results = await Promise.all(calls.map((call) => edit.execute(call, never)));
    expect(results.map(({ llmContent }) => String(llmContent).split('\n')[0]).sort()).toEqual([
      'Edited a.txt: 1 replacement at line 2.',
      'a.txt already has this change: someone else made it meanwhile.',
    ]);
    expect(read('a.txt')).toBe('one\nzwei\n');
  });
});

describe('encodings', () => {
  const texts: [encoding: string, text: string, oldText: string, newText: string][] = [
    ['gbk', '// 初始化配置\nint a = 1;\n// 读取文件\n', 'a = 1', 'a = 2; // 返回'],
    ['shift_jis', '// 設定を初期化する\nint a = 1;\n// 表示ソース\n', 'a = 1', 'a = 2; // 終わり'],
    ['iso-8859-1', '// Größe ändern\nint a = 1;\n// façade\n', 'a = 1', 'a = 2; // é'],
    ['euc-kr', '// 설정을 초기화합니다\nint a = 1;\n', 'a = 1', 'a = 2; // 반환'],
    ['big5', '// 讀取檔案並檢查錯誤\nint a = 1;\n', 'a = 1', 'a = 2; // 錯誤'],
  ];
  test.each(texts)('an edit in %s changes its own bytes only', async (encoding, text, oldText, newText) => {
    const { runEdit, readBytes } = open({ 'a.c': iconv.encode(text, encoding) });
    expect(await runEdit('a.c', oldText, newText)).toContain(`Encoding kept: ${encoding}.`);
    expect(readBytes('a.c')).toEqual(iconv.encode(text.replace(oldText, newText), encoding));
  });

  test.each([false, true])('UTF-16, big-endian %s, keeps mark and bytes', async (bigEndian) => {
    const encode = (text: string) => {
      const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
      return bigEndian ? bytes.swap16() : bytes;
    };
    const { runEdit, readBytes } = open({ 'a.txt': encode('eins\r\nzwei 😀\r\n') });
    await runEdit('a.txt', 'eins', 'ä');
    expect(readBytes('a.txt')).toEqual(encode('ä\r\nzwei 😀\r\n'));
  });

  test('what the encoding can not express is refused', async () => {
    const bytes = Buffer.from('// Gr\xf6\xdfe\nint a;\n', 'latin1');
    const { runEdit, readBytes } = open({ 'a.c': bytes });
    expect(await runEdit('a.c', 'int a', 'int a; // 5 €')).toMatch(
      /^invalid_params: .*iso-8859-1.*"€" \(U\+20AC\)/,
    );
    expect(readBytes('a.c')).toEqual(bytes);
  });

  test('a file is as safe with write_file as with edit', async () => {
    const text = '// 初始化配置\r\nint a = 1;\r\n';
    const { runEdit, runWrite, readBytes } = open({
      'a.c': iconv.encode(text, 'gbk'),
      'b.c': iconv.encode(text, 'gbk'),
    });
    await runEdit('a.c', 'a = 1', 'a = 2');
    await runWrite('b.c', '// 初始化配置\nint a = 2;\n');
    expect(readBytes('a.c')).toEqual(iconv.encode(text.replace('1', '2'), 'gbk'));
    expect(readBytes('b.c')).toEqual(readBytes('a.c'));
  });
});

describe('text that changes under the model', () => {
  const file = 'import a\n\nf( 1 )\n\ng( 2 )\n\nend\n';

  test('by a formatter: the next edit elsewhere works and reports what the formatter did', async () => {
    const { runEdit, show, write, read } = open({ 'a.py': file }, { forModel: true });
    await show('a.py');
    await runEdit('a.py', 'import a', 'import b');
    write('a.py', read('a.py').replace('f( 1 )', 'f(1)'));
    expect(await runEdit('a.py', 'end', 'END')).toContain(
      'Someone else had changed other lines of a.py meanwhile; they were kept:\n@@ -1,6 +1,6 @@\n import b\n \n-f( 1 )\n+f(1)\n \n g( 2 )\n',
    );
    expect(read('a.py')).toBe('import b\n\nf(1)\n\ng( 2 )\n\nEND\n');
  });

  test('in the very part it wants to edit: it is told what changed, and the next try fits', async () => {
    const { runEdit, show, write, read } = open({ 'a.py': file }, { forModel: true });
    await show('a.py');
    write('a.py', file.replace('f( 1 )', 'f(1)'));
    expect(await runEdit('a.py', 'f( 1 )', 'f( 3 )')).toBe(
      'conflict: a.py has changed since you last saw it, in the very part that old_string matches. Nothing was written. What changed:\n@@ -1,6 +1,6 @@\n import a\n \n-f( 1 )\n+f(1)\n \n g( 2 )\n \nRepeat the edit with the text as it is now.',
    );
    expect(await runEdit('a.py', 'f(1)', 'f(3)')).toBe(
      'Edited a.py: 1 replacement at line 3.\nLines 1-6 now:\nimport a\n\nf(3)\n\ng( 2 )\n',
    );
    expect(read('a.py')).toBe(file.replace('f( 1 )', 'f(3)'));
  });

  test('by a script of its own: the edit goes on from what is there', async () => {
    const { runEdit, show, path, read } = open({ 'a.py': file }, { forModel: true });
    await show('a.py');
    writeFileSync(path('a.py'), file.replaceAll('( ', '(').replaceAll(' )', ')'));
    expect(await runEdit('a.py', 'import a', 'import c')).toContain('-g( 2 )\n+g(2)');
    expect(read('a.py')).toBe('import c\n\nf(1)\n\ng(2)\n\nend\n');
  });
});
