import { describe, expect, test } from 'vitest';
import { parsePatch } from './parse-patch.js';

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('a patch', () => {
  test('is read section by section', () => {
    const text = patch(
      '*** Add File: new.txt',
      '+one',
      '+',
      '*** Delete File: old.txt',
      '*** Update File: src/a.ts',
      '*** Move to: src/b.ts',
      '@@ class A',
      '@@ run() {',
      ' kept',
      '-gone',
      '+come',
      '@@',
      '+last',
      '*** End of File',
    );
    expect(parsePatch(text)).toEqual([
      { kind: 'add', path: 'new.txt', content: 'one\n\n' },
      { kind: 'delete', path: 'old.txt' },
      {
        kind: 'update',
        path: 'src/a.ts',
        moveTo: 'src/b.ts',
        hunks: [
          {
            below: ['class A', 'run() {'],
            before: ['kept', 'gone'],
            after: ['kept', 'come'],
            atEnd: false,
            line: 8,
          },
          { below: [], before: [], after: ['last'], atEnd: true, line: 13 },
        ],
      },
    ]);
  });

  test('may stand in other text, have headers of a plain diff, and leave out the blank of an empty line', () => {
    const text = `Here it is:\n${patch('*** Update File: a', '@@ -1,2 +1,2 @@ fn()', ' x', '', '-y', '+z', '')}\nDone.`;
    expect(parsePatch(text)).toMatchObject([
      { hunks: [{ below: ['fn()'], before: ['x', '', 'y'], after: ['x', '', 'z'] }] },
    ]);
  });

  test('keeps the empty lines of a new file that have no sign, but for those before the next section', () => {
    const text = patch(
      '*** Add File: a',
      '+one',
      '',
      '',
      '+two',
      '',
      '*** Add File: b',
      '',
      '+three',
      '+',
      '',
    );
    expect(parsePatch(text)).toMatchObject([{ content: 'one\n\n\ntwo\n' }, { content: '\nthree\n\n' }]);
  });

  test('names the line it is below with or without two more signs, however long the line is', () => {
    const blanks = ' '.repeat(1_000_000);
    const below = (header: string) => parsePatch(patch('*** Update File: a', header, '+z'))[0];
    for (const [header, line] of [
      ['@@ fn() @@', 'fn()'],
      ['@@ fn()  @@ ', 'fn()'],
      ['@@  fn() ', ' fn() '],
      [`@@ a${blanks}b`, `a${blanks}b`],
      [`@@ a${blanks}@@${blanks}`, 'a'],
    ])
      expect(below(header!)).toMatchObject({ hunks: [{ below: [line] }] });
  });

  test.each([
    ['', 'The patch has no line "*** Begin Patch"'],
    ['*** Begin Patch\n*** Add File: a\n+b', 'The patch has no line "*** End Patch"'],
    [patch(), 'The patch changes no file.'],
    [patch('a'), `line 2 is "a", but a line such as "*** Update File: PATH" is expected here`],
    [patch('*** Add File: '), 'the path is missing'],
    [patch('*** Add File: a', 'b'), 'line 3 is "b", but each line of a new file begins with "+"'],
    [patch('*** Update File: a'), 'a has no hunk'],
    [patch('*** Update File: a', '@@', 'b'), 'line 4 is "b", but a line of a hunk begins with'],
    [patch('*** Delete File: a', '*** Add File: a', '+b'), 'The patch names a twice.'],
  ])('that can not be read names the line: %j', (text, message) => {
    expect(() => parsePatch(text)).toThrow(message);
  });
});
