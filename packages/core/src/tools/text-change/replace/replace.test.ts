import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import { describe, expect, test } from 'vitest';
import { type Relaxation, replaceText } from './replace.js';

interface Given {
  file: string;
  old: string;
  new: string;
}

async function replaced({ file, old, new: newText }: Given, replaceAll = false) {
  const outcome = await replaceText({ text: file, oldText: old, newText, replaceAll });
  if (outcome.kind !== 'replaced') return outcome;
  return { result: applyEdits(file, outcome.edits), relaxed: outcome.relaxed };
}

const visible: Record<string, string> = {
  '⏎': '\n',
  '␍': '\r',
  '⇥': '\t',
  '⍽': '\u00A0',
  '□': '\u3000',
  '∅': '\u200B',
};

/** Rows of: name ¦ file ¦ old text ¦ new text ¦ file afterwards. */
function table(relaxed: Relaxation[], rows: string): void {
  const cases = rows
    .split('\n')
    .filter((row) => row.includes(' ¦ '))
    .map((row) =>
      row
        .slice(6)
        .split(' ¦ ')
        .map((cell) => cell.replace(/[⏎␍⇥⍽□∅]/g, (sign) => visible[sign]!)),
    );
  test.each(cases)(
    'an edit changes its place and nothing else: %s',
    async (_name, file = '', old = '', newText = '', result = '') => {
      expect(await replaced({ file, old, new: newText })).toEqual({ result, relaxed });
    },
  );
}

describe('exactly', () => {
  table(
    [],
    String.raw`
      a word ¦ a b c ¦ b ¦ B ¦ a B c
      several lines ¦ a⏎b⏎c⏎ ¦ a⏎b ¦ x ¦ x⏎c⏎
      with nothing ¦ a⏎b⏎c⏎ ¦ b⏎ ¦  ¦ a⏎c⏎
      dollar signs are plain text ¦ a ¦ a ¦ $&$1$'$$ ¦ $&$1$'$$
      regular expression characters are plain text ¦ f(.*) ¦ (.*) ¦ [] ¦ f[]
      a line number that is in the file ¦ 12: x⏎ ¦ 12: x ¦ 13: x ¦ 13: x⏎
      an escape that is in the file ¦ a = "x\n" ¦ x\n ¦ y\n ¦ a = "y\n"
      a tab for blanks, when that is the edit ¦     a⏎ ¦     a ¦ ⇥a ¦ ⇥a⏎
      spaces in new lines stay as given ¦ ⇥a();⏎ ¦ a(); ¦ a();⏎    b(); ¦ ⇥a();⏎    b();⏎
    `,
  );
});

describe('line endings', () => {
  table(
    ['line endings'],
    `
      LF found in CRLF ¦ a␍⏎b␍⏎c␍⏎ ¦ a⏎b⏎ ¦ a⏎B⏎ ¦ a␍⏎B␍⏎c␍⏎
      CRLF found in LF ¦ a⏎b⏎c⏎ ¦ a␍⏎b␍⏎ ¦ a␍⏎x␍⏎b␍⏎ ¦ a⏎x⏎b⏎c⏎
      each kept line keeps its own ending ¦ a⏎b␍⏎c⏎d␍⏎ ¦ a⏎b⏎c⏎ ¦ a⏎b⏎new⏎c⏎ ¦ a⏎b␍⏎new␍⏎c⏎d␍⏎
      lone CR ¦ a␍b␍c␍ ¦ a⏎b ¦ a⏎x⏎b ¦ a␍x␍b␍c␍
      lone CR among others ¦ a␍b␍c⏎d␍⏎ ¦ a⏎b⏎c⏎ ¦ a⏎x⏎b⏎C⏎ ¦ a␍x␍b␍C⏎d␍⏎
      a last line without an end ¦ a⏎b ¦ b⏎ ¦ c⏎ ¦ a⏎c
    `,
  );
  table(
    [],
    `
      new lines in a CRLF file ¦ a␍⏎b␍⏎ ¦ b ¦ b⏎c⏎d ¦ a␍⏎b␍⏎c␍⏎d␍⏎
      CRLF in the new text of an LF file ¦ a⏎b⏎ ¦ b ¦ b␍⏎c ¦ a⏎b⏎c⏎
      a change of nothing but line endings ¦ a␍⏎b␍⏎ ¦ a␍⏎b␍⏎ ¦ a⏎b⏎ ¦ a⏎b⏎
      CR inside a line stays ¦ a␍b⏎c⏎ ¦ c ¦ d ¦ a␍b⏎d⏎
    `,
  );

  test('LF in the old text stands for either ending when it counts places', async () => {
    const file = 'a\nb\nx\na\r\nb\r\n';
    expect(await replaceText({ text: file, oldText: 'a\nb', newText: 'c' })).toMatchObject({
      kind: 'several',
      lines: [1, 4],
    });
    expect(await replaced({ file, old: 'a\nb', new: 'a\nc' }, true)).toEqual({
      result: 'a\nc\nx\na\r\nc\r\n',
      relaxed: [],
    });
  });
});

describe('trailing blanks', () => {
  table(
    ['trailing blanks'],
    `
      in the file ¦ a  ⏎b⇥⏎c⏎ ¦ a⏎b⏎c ¦ a⏎b⏎d ¦ a  ⏎b⇥⏎d⏎
      in the old text ¦ a⏎b⏎c⏎ ¦ a  ⏎b ⏎c ¦ a  ⏎b ⏎d ¦ a⏎b⏎d⏎
      at the end of the old text ¦ a⏎b⏎c⏎ ¦ b   ¦ x ¦ a⏎x⏎c⏎
      on a blank line ¦ a⏎    ⏎b⏎ ¦ a⏎⏎b ¦ a⏎⏎c ¦ a⏎    ⏎c⏎
      outside the match stay ¦ x ⏎a  ⏎b  ⏎y ⏎ ¦ a⏎b ¦ c ¦ x ⏎c  ⏎y ⏎
      are not put at the end of a line that changes ¦ a:  ⏎c⏎ ¦ a:⏎c ¦ b:⏎c ¦ b:⏎c⏎
      are not put behind new text ¦ a  ⏎b⏎ ¦ a⏎b ¦ a more⏎b ¦ a more⏎b⏎
      of a line that goes are not put behind a new one ¦ a⏎b  ⏎c⏎ ¦ a⏎b⏎c ¦ a⏎x⏎y⏎c ¦ a⏎x⏎y⏎c⏎
      of a new line are written as sent ¦ a⏎b⏎ ¦ a  ⏎b ¦ a  ⏎new  ⏎b ¦ a⏎new  ⏎b⏎
      with CRLF ¦ a ␍⏎b␍⏎ ¦ a⏎b ¦ a⏎x⏎b ¦ a ␍⏎x␍⏎b␍⏎
      when they are the edit ¦ a ⏎b⏎ ¦ a  ⏎b ¦ a⏎b ¦ a⏎b⏎
    `,
  );
});

describe('tabs and spaces', () => {
  table(
    ['indentation'],
    `
      four blanks for a tab ¦ if x:⏎⇥a()⏎⇥b()⏎ ¦     a()⏎    b() ¦     a()⏎    c()⏎        d() ¦ if x:⏎⇥a()⏎⇥c()⏎⇥⇥d()⏎
      two blanks for a tab ¦ {⏎⇥a {⏎⇥⇥b⏎⇥}⏎}⏎ ¦   a {⏎    b⏎  } ¦   a {⏎    b⏎    c {⏎      d⏎    }⏎  } ¦ {⏎⇥a {⏎⇥⇥b⏎⇥⇥c {⏎⇥⇥⇥d⏎⇥⇥}⏎⇥}⏎}⏎
      a tab for four blanks ¦ f {⏎    a⏎}⏎ ¦ f {⏎⇥a⏎} ¦ f {⏎⇥a⏎⇥b {⏎⇥⇥c⏎⇥}⏎} ¦ f {⏎    a⏎    b {⏎        c⏎    }⏎}⏎
      alignment blanks after tabs ¦ ⇥f(a,⏎⇥  b)⏎ ¦     f(a,⏎      b) ¦     f(a,⏎      b,⏎      c) ¦ ⇥f(a,⏎⇥  b,⏎⇥  c)⏎
      a match that begins inside its first line ¦ ⇥if (a) {⏎⇥⇥b();⏎⇥}⏎ ¦ if (a) {⏎        b();⏎    } ¦ if (a) {⏎        c();⏎    } ¦ ⇥if (a) {⏎⇥⇥c();⏎⇥}⏎
      lines outside stay, tabs or not ¦     x⏎⇥a⏎⇥b⏎    y⏎ ¦     a⏎    b ¦     c ¦     x⏎⇥c⏎    y⏎
      mixed indentation in the file is kept line by line ¦ ⇥a⏎    b⏎end⏎ ¦     a⏎    b⏎end ¦     a⏎    b⏎    c⏎end ¦ ⇥a⏎    b⏎    c⏎end⏎
      as the lines around indent ¦ ⇥a⏎⇥    b⏎⇥c⏎⇥d⏎ ¦     c⏎    d ¦     c⏎        x⏎    d ¦ ⇥a⏎⇥    b⏎⇥c⏎⇥    x⏎⇥d⏎
      with CRLF ¦ ⇥a␍⏎⇥b␍⏎ ¦     a⏎    b ¦     a⏎    x⏎    b ¦ ⇥a␍⏎⇥x␍⏎⇥b␍⏎
    `,
  );

  test('a tab between words is not a blank', async () => {
    expect(await replaced({ file: 'a\tb\n', old: 'a    b', new: 'c' })).toEqual({ kind: 'missing' });
  });

  test('a block shifted by a few blanks is not found', async () => {
    expect(await replaced({ file: '    a\n      b\n', old: 'a\n  b', new: 'c' })).toEqual({
      kind: 'missing',
    });
  });

  test('blanks that could stand for one tab or for two are several places', async () => {
    expect(
      await replaceText({ text: '\tx()\n\t\tx()\n', oldText: '    x()', newText: 'y', replaceAll: true }),
    ).toEqual({
      kind: 'several',
      lines: [1, 2],
      relaxed: ['indentation'],
    });
  });

  test('a match never ends in the middle of a tab', async () => {
    expect(await replaced({ file: '{\n\t\tx\n', old: '{\n     ', new: 'y' })).toEqual({ kind: 'missing' });
  });
});

describe('look-alike characters', () => {
  table(
    ['look-alike characters'],
    `
      curly quotes in the file stay ¦ say “hello” now⏎ ¦ say "hello" now ¦ say "hello" later ¦ say “hello” later⏎
      curly quotes of the model are not written over straight ones ¦ it's "a"⏎ ¦ it’s “a” ¦ it’s “b” ¦ it's "b"⏎
      a new quote is written as given ¦ “a”⏎ ¦ "a" ¦ "a" and "b" ¦ “a” and "b"⏎
      the edit is the quote change ¦ “a”⏎ ¦ "a" ¦ 'a' ¦ 'a'⏎
      dashes ¦ a — b – c⏎ ¦ a - b - c ¦ a - b - d ¦ a — b – d⏎
      a no-break space ¦ x⍽= 1⏎ ¦ x = 1 ¦ x = 2 ¦ x⍽= 2⏎
      an ideographic space ¦ 前□後 x⏎ ¦ 前 後 x ¦ 前 後 中 x ¦ 前□後 中 x⏎
      a space beside new text is new ¦ 前□後⏎ ¦ 前 後 ¦ 前 中 後 ¦ 前 中 後⏎
      an option in the place of a dash is written as sent ¦ run —fast⏎ ¦ run -fast ¦ run --fast ¦ run --fast⏎
      a dash that loses its blank is written as sent ¦ run — x⏎ ¦ run - x ¦ run -x ¦ run -x⏎
      a minus in new code is not the dash of a comment ¦ a — b⏎ ¦ a - b ¦ x = a-b ¦ x = a-b⏎
      quotes of new code are not the apostrophe of the old text ¦ it’s fine⏎ ¦ it's fine ¦ print('it is fine') ¦ print('it is fine')⏎
      a text in quotes keeps them when it changes ¦ say “hello world”⏎ ¦ say "hello world" ¦ say "hello there" ¦ say “hello there”⏎
      a character without width ¦ foo∅bar()⏎ ¦ foobar() ¦ foobar(1) ¦ foo∅bar(1)⏎
      a line that stays keeps its quotes beside a new one like it ¦ 'b',⏎'c',⏎ ¦ ’b’,⏎’c’, ¦ ’b’,⏎’bc’,⏎’c’, ¦ 'b',⏎’bc’,⏎'c',⏎
      full-width quotes ¦ ＂名＂⏎ ¦ "名" ¦ "名前" ¦ ＂名前＂⏎
    `,
  );
  table(
    ['look-alike characters', 'indentation'],
    `
      together with tabs ¦ ⇥say(“a”)⏎ ¦     say("a") ¦     say("a")⏎    go() ¦ ⇥say(“a”)⏎⇥go()⏎
    `,
  );

  test('straight quotes that are exactly there are taken alone, whatever curly ones look like', async () => {
    expect(await replaced({ file: '“a” "a"\n', old: '"a"', new: '"b"' })).toEqual({
      result: '“a” "b"\n',
      relaxed: [],
    });
  });

  test('curly quotes wanted where the file has them already: nothing to do', async () => {
    expect(await replaced({ file: 'x “a”\n', old: 'x "a"', new: 'x “a”' })).toEqual({
      kind: 'unchanged',
      lines: [1],
    });
  });

  test('letters that look alike are not taken for each other', async () => {
    expect(await replaced({ file: 'сору\n', old: 'copy', new: 'x' })).toEqual({ kind: 'missing' });
  });
});

describe('line numbers from a listing', () => {
  const file = 'one\n  two\nthree\nfour\n';
  table(
    ['line numbers'],
    `
      arrows ¦ one⏎  two⏎three⏎four⏎ ¦      2→  two⏎     3→three ¦      2→  TWO⏎     3→three ¦ one⏎  TWO⏎three⏎four⏎
      tabs ¦ one⏎  two⏎three⏎four⏎ ¦ 2⇥  two⏎3⇥three⏎ ¦ 2⇥  two⏎3⇥THREE⏎ ¦ one⏎  two⏎THREE⏎four⏎
      colons with a blank ¦ one⏎  two⏎three⏎four⏎ ¦ 3: three⏎4: four ¦ x ¦ one⏎  two⏎x⏎
      colons without ¦ one⏎  two⏎three⏎four⏎ ¦ 2:  two ¦ 2:  2 ¦ one⏎  2⏎three⏎four⏎
      a search result with context ¦ one⏎  two⏎three⏎four⏎ ¦ 2-  two⏎3:three⏎4-four ¦ x ¦ one⏎x⏎
      bars ¦ one⏎  two⏎three⏎four⏎ ¦  3 | three⏎ 4 | four ¦  3 | drei⏎ 4 | vier ¦ one⏎  two⏎drei⏎vier⏎
    `,
  );
  table(
    ['line numbers', 'line endings'],
    `
      with CRLF ¦ a␍⏎b␍⏎ ¦ 1→a⏎2→b ¦ c ¦ c␍⏎
    `,
  );

  test.each([
    ['one line without a number', '2→  two\nthree'],
    ['numbers that do not count up', '2→  two\n7→three'],
    ['a different form on one line', '2→  two\n3: three'],
    ['text that does not match', '2→  two\n3→tree'],
  ])('%s: not found', async (_name, old) => {
    expect(await replaced({ file, old, new: 'x' })).toEqual({ kind: 'missing' });
  });

  test('numbers on some lines of the new text are never written', async () => {
    expect(await replaced({ file, old: '2→  two\n3→three', new: '2→  two\nnew\n3→three' })).toEqual({
      kind: 'missing',
    });
  });
});

describe('escapes', () => {
  table(
    ['escapes'],
    String.raw`
      doubled quotes ¦ say("hi")⏎ ¦ say(\"hi\") ¦ say(\"ho\") ¦ say("ho")⏎
      written-out line ends ¦ a⏎b⏎c⏎ ¦ a\nb ¦ a\nx\nb ¦ a⏎x⏎b⏎c⏎
      written-out tabs ¦ ⇥a⏎ ¦ \ta ¦ \tb ¦ ⇥b⏎
      doubled backslashes ¦ p = "C:\dir"⏎ ¦ p = \"C:\\dir\" ¦ p = \"D:\\dir\" ¦ p = "D:\dir"⏎
    `,
  );

  test('only when the result is unique, even for all', async () => {
    const outcome = await replaceText({
      text: '"a" "a"\n',
      oldText: '\\"a\\"',
      newText: 'x',
      replaceAll: true,
    });
    expect(outcome).toEqual({ kind: 'several', lines: [1, 1], relaxed: ['escapes'] });
  });
});

describe('several places', () => {
  test('are listed by line and nothing is replaced', async () => {
    expect(await replaceText({ text: 'a\nb\na\nc a\n', oldText: 'a', newText: 'x' })).toEqual({
      kind: 'several',
      lines: [1, 3, 4],
      relaxed: [],
    });
  });

  test('all are replaced when asked for', async () => {
    expect(await replaced({ file: 'a\nb\na\n', old: 'a', new: 'xx' }, true)).toEqual({
      result: 'xx\nb\nxx\n',
      relaxed: [],
    });
  });

  test('overlapping places are several', async () => {
    expect(await replaceText({ text: 'aaa', oldText: 'aa', newText: 'b' })).toMatchObject({
      kind: 'several',
      lines: [1, 1],
    });
    expect(await replaced({ file: 'aaa', old: 'aa', new: 'b' }, true)).toMatchObject({ result: 'ba' });
  });

  test('all relaxed places are replaced, each in its own style', async () => {
    const file = '\ta\n\tb\n--\n\ta\n    b\n';
    expect(await replaced({ file, old: '    a\n    b', new: '    a\n    c' }, true)).toEqual({
      result: '\ta\n\tc\n--\n\ta\n    c\n',
      relaxed: ['indentation'],
    });
  });
});

test.each(['', '   ', '\n\n', '\t \n', '\u200b', '\u200b \ufeff', '\u00a0\u200b'])(
  'a blank old text (%j) is never found',
  async (oldText) => {
    expect(await replaceText({ text: 'a  b\n\n\t \n', oldText, newText: 'x' })).toEqual({ kind: 'missing' });
  },
);

test.each([
  [
    'the middle is left out',
    'function a() {\n  one();\n  two();\n  three();\n}\n',
    'function a() {\n  three();\n}',
  ],
  ['one word differs', 'const total = price * count;\n', 'const total = price * counts;'],
  ['blanks inside a line differ', 'a  =  1\n', 'a = 1'],
  ['a comment is reflowed', '// one two\n// three\n', '// one\n// two three\n'],
])('similarity finds nothing: %s', async (_name, text, oldText) => {
  expect(await replaceText({ text, oldText, newText: 'x' })).toEqual({ kind: 'missing' });
});
