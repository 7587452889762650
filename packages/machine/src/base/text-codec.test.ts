import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { applyEdits, decodeText, encodeText, spliceText } from './text-codec.js';

const bytesOf = (...values: number[]) => Uint8Array.from(values);
const latin = (text: string) => Buffer.from(text, 'latin1');

async function decoded(bytes: Uint8Array, legacy?: string) {
  const result = await decodeText(bytes, legacy === undefined ? {} : { legacy });
  if (!result) throw new Error('expected text, got binary');
  return result;
}

describe('decoding', () => {
  test.each([
    ['plain ASCII', Buffer.from('a\n'), 'a\n', 'utf-8', 0],
    ['an empty file', Buffer.alloc(0), '', 'utf-8', 0],
    ['UTF-8', Buffer.from('é漢😀'), 'é漢😀', 'utf-8', 0],
    ['UTF-8 with a mark', Buffer.from('\uFEFFé'), 'é', 'utf-8', 3],
    ['only a mark', Buffer.from('\uFEFF'), '', 'utf-8', 3],
    ['UTF-16 LE with a mark', Buffer.from('\uFEFFé😀', 'utf16le'), 'é😀', 'utf-16le', 2],
    ['UTF-16 BE with a mark', Buffer.from('\uFEFFé😀', 'utf16le').swap16(), 'é😀', 'utf-16be', 2],
    ['UTF-32 LE with a mark', bytesOf(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0), 'A', 'utf-32le', 4],
    ['UTF-32 BE with a mark', bytesOf(0, 0, 0xfe, 0xff, 0, 1, 0xf6, 0), '😀', 'utf-32be', 4],
    ['UTF-16 LE without a mark', Buffer.from('let a = "é";\n', 'utf16le'), 'let a = "é";\n', 'utf-16le', 0],
    ['UTF-16 BE without a mark', Buffer.from('let a;\n', 'utf16le').swap16(), 'let a;\n', 'utf-16be', 0],
    [
      'Chinese UTF-16 without a mark',
      Buffer.from('你好，世界\n这里\n', 'utf16le'),
      '你好，世界\n这里\n',
      'utf-16le',
      0,
    ],
    ['UTF-32 LE without a mark', bytesOf(0x41, 0, 0, 0, 0x0a, 0, 0, 0), 'A\n', 'utf-32le', 0],
    ['Latin-1', latin('d\xe9j\xe0 vu\n'), 'déjà vu\n', 'iso-8859-1', 0],
    ['a genuine replacement character', Buffer.from('a\uFFFDb'), 'a\uFFFDb', 'utf-8', 0],
  ])('finds text, encoding and mark: %s', async (_name, bytes, text, encoding, bomLength) => {
    expect(await decoded(bytes)).toEqual({ text, encoding, bomLength, exact: true, odd: [] });
    expect(Buffer.from(await encodeText(text, { encoding, bomLength }))).toEqual(Buffer.from(bytes));
  });

  test.each([
    ['a PNG', bytesOf(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d)],
    ['a WebAssembly module', bytesOf(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)],
    ['numbers of 32 bits', bytesOf(1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 250, 255, 0, 0)],
    ['compressed data', Buffer.from(Array.from({ length: 999 }, (_, i) => ((i * 167 + 13) % 255) + 1))],
    ['sound that begins like a mark', bytesOf(0xff, 0xfe, 0x90, 0xd9, 0x11, 0xdc, 0x12, 0xdd, 0x55)],
    ['text with many NULs', Buffer.from('a\0b\0\0c')],
  ])('%s is not text', async (_name, bytes) => {
    expect(await decodeText(bytes)).toBeNull();
  });

  test('one NUL in a long text does not make it binary', async () => {
    const text = `${'line of text\n'.repeat(100)}\0${'line of text\n'.repeat(100)}`;
    expect((await decoded(Buffer.from(text))).text).toBe(text);
  });

  test('a stray byte in a UTF-8 file is kept apart, and the file stays UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('é à ü ñ\n'), latin('caf\xe9\n'), Buffer.from('漢字\n')]);
    expect(await decoded(bytes)).toEqual({
      text: 'é à ü ñ\ncaf\uFFFD\n漢字\n',
      encoding: 'utf-8',
      bomLength: 0,
      exact: false,
      odd: [{ textOffset: 11, textLength: 1, byteOffset: 15, byteLength: 1, malformed: true }],
    });
  });

  test('half a surrogate pair and an odd last byte in UTF-16 are kept apart', async () => {
    const head = [...Buffer.from('\uFEFFlong enough to be text', 'utf16le')];
    const bytes = bytesOf(...head, 0x41, 0, 0x3d, 0xd8, 0x42, 0, 0x43);
    const result = await decoded(bytes);
    expect(result.text).toBe('long enough to be textA\uFFFDB\uFFFD');
    expect(result.odd.map((unit) => [unit.byteOffset, unit.byteLength])).toEqual([
      [head.length + 2, 2],
      [head.length + 6, 1],
    ]);
  });

  test('a second spelling of a character in Shift-JIS is kept apart, not called malformed', async () => {
    const bytes = Buffer.concat([
      iconv.encode('これは', 'shift_jis'),
      bytesOf(0xfa, 0x54),
      Buffer.from('\n'),
    ]);
    const result = await decoded(bytes);
    expect(result.encoding).toBe('shift_jis');
    expect(result.text).toBe('これは￢\n');
    expect(result.odd).toEqual([
      { textOffset: 3, textLength: 1, byteOffset: 6, byteLength: 2, malformed: false },
    ]);
  });

  test('a configured encoding takes the place of detection, under any usual spelling', async () => {
    const bytes = iconv.encode('Привет, мир\n', 'cp866');
    expect(await decoded(bytes, 'CP866')).toMatchObject({
      text: 'Привет, мир\n',
      encoding: 'cp866',
      exact: true,
    });
    expect(await decoded(iconv.encode('日本', 'shift_jis'), 'Shift-JIS')).toMatchObject({
      encoding: 'shift_jis',
    });
  });

  test.each(['utf-7', 'base64', 'hex', 'no-such'])('%s is no encoding for a file', async (name) => {
    await expect(decodeText(latin('\xe9'), { legacy: name })).rejects.toThrow(`"${name}" is not known`);
  });
});

describe('encoding', () => {
  test.each([
    ['gbk', '😀', 'U+1F600'],
    ['shift_jis', 'naïve', 'U+00EF'],
    ['iso-8859-1', '5 €', 'U+20AC'],
    ['windows-1252', 'Ж', 'U+0416'],
    ['big5', '简', 'U+7B80'],
  ])('%s refuses %s', async (encoding, text, code) => {
    await expect(encodeText(text, { encoding, bomLength: 0 })).rejects.toThrow(code);
  });

  test('half a character is refused in every encoding', async () => {
    for (const encoding of ['utf-8', 'utf-16le', 'utf-32be', 'gbk']) {
      await expect(encodeText('a\uD83D', { encoding, bomLength: 0 })).rejects.toThrow(
        'lone surrogate U+D83D at offset 1',
      );
    }
  });
});

describe('splicing', () => {
  const edit = (text: string, part: string, replacement: string) => {
    const start = text.indexOf(part);
    return { start, end: start + part.length, text: replacement };
  };

  test('an edit beside malformed bytes leaves them as they are', async () => {
    const bytes = Buffer.concat([
      Buffer.from('é à ü ñ x = 1; // '),
      latin('\xe9\xff'),
      Buffer.from(' é end\n'),
    ]);
    const file = await decoded(bytes);
    const result = await spliceText(bytes, file, [
      edit(file.text, 'x = 1', 'x = 22'),
      edit(file.text, 'end', 'fin'),
    ]);
    expect(result).toEqual(
      Buffer.concat([Buffer.from('é à ü ñ x = 22; // '), latin('\xe9\xff'), Buffer.from(' é fin\n')]),
    );
  });

  test('malformed bytes at the ends of a replaced range survive when the new text repeats them', async () => {
    const bytes = Buffer.concat([
      Buffer.from('é à ü ñ '),
      latin('\xe9'),
      Buffer.from('abc'),
      latin('\xe8'),
      Buffer.from('éé à ü'),
    ]);
    const file = await decoded(bytes);
    const result = await spliceText(bytes, file, [edit(file.text, '\uFFFDabc\uFFFD', '\uFFFDxyz\uFFFD')]);
    expect(result).toEqual(Buffer.from(bytes.toString('latin1').replace('abc', 'xyz'), 'latin1'));
  });

  test('a replacement character for malformed bytes is not written', async () => {
    const bytes = Buffer.concat([Buffer.from('é à ü ñ '), latin('\xe9abc')]);
    const file = await decoded(bytes);
    await expect(spliceText(bytes, file, [edit(file.text, 'abc', 'x\uFFFD')])).rejects.toThrow('U+FFFD');
  });

  test('a character is never cut in two', async () => {
    const bytes = Buffer.from('a😀b');
    const result = await spliceText(bytes, await decoded(bytes), [{ start: 1, end: 3, text: '😁' }]);
    expect(Buffer.from(result).toString()).toBe('a😁b');
  });

  test('the other bytes of a Shift-JIS file with second spellings stay', async () => {
    const head = Buffer.concat([iconv.encode('これは', 'shift_jis'), bytesOf(0xfa, 0x54)]);
    const bytes = Buffer.concat([head, Buffer.from(' old '), head]);
    const file = await decoded(bytes);
    const result = await spliceText(bytes, file, [edit(file.text, 'old', '新しい')]);
    expect(result).toEqual(
      Buffer.concat([head, Buffer.from(' '), iconv.encode('新しい', 'shift_jis'), Buffer.from(' '), head]),
    );
  });
});

const alphabets: Record<string, string> = {
  'utf-8': 'ab \t\n\réß漢😀\uFFFD',
  'utf-16le': 'ab \t\n\réß漢😀',
  'utf-16be': 'ab \t\n\réß漢😀',
  'utf-32le': 'ab \t\n\réß漢😀',
  'utf-32be': 'ab \t\n\réß漢😀',
  gbk: 'ab \t\n\r的一是不了，。€',
  gb18030: 'ab \t\n\r的一是㐂𠮷😀',
  shift_jis: 'ab \\~\t\n\rこれは表示ソｱ',
  'euc-jp': 'ab \t\n\rこれは表示ｱ',
  'euc-kr': 'ab \t\n\r설정을 초기화',
  big5: 'ab \\\t\n\r的功許蓋',
  'iso-8859-1': 'ab \t\n\réßÿ\x85',
  'windows-1252': 'ab \t\n\r€é“”',
  'koi8-r': 'ab \t\n\rпривет',
};

function textIn(encoding: string, maxLength = 60) {
  return fc.string({ unit: fc.constantFrom(...alphabets[encoding]!), maxLength });
}

describe.each(Object.keys(alphabets))('in %s', (encoding) => {
  test('encoding and decoding give the same text and the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(textIn(encoding), async (text) => {
        const bomLength = encoding.startsWith('utf-') ? 1 : 0;
        const bytes = await encodeText(text, { encoding, bomLength });
        const again = await decodeText(bytes, { legacy: encoding });
        if (again?.encoding !== encoding) fc.pre(/^[\x00-\x7f]*$/.test(text));
        expect(again?.text).toBe(text);
        expect(again?.exact).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('an edit changes no byte outside its range', async () => {
    await fc.assert(
      fc.asyncProperty(
        textIn(encoding),
        textIn(encoding),
        textIn(encoding),
        textIn(encoding, 10),
        async (head, part, tail, added) => {
          const format = { encoding, bomLength: encoding.startsWith('utf-') ? 1 : 0 };
          const bytes = await encodeText(head + part + tail, format);
          const file = await decodeText(bytes, { legacy: encoding });
          if (!file || file.encoding !== encoding) return;
          const edits = [{ start: head.length, end: head.length + part.length, text: added }];
          const result = await spliceText(bytes, file, edits);
          expect(applyEdits(file.text, edits)).toBe(head + added + tail);
          expect(Buffer.from(result)).toEqual(Buffer.from(await encodeText(head + added + tail, format)));
        },
      ),
      { numRuns: 100 },
    );
  });
});

test('any bytes survive an edit that inserts ASCII between two characters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom(...Object.keys(alphabets).filter((name) => !name.startsWith('utf-'))),
      fc.nat(),
      async (bytes, legacy, position) => {
        const file = await decodeText(bytes, { legacy });
        if (!file) return;
        const starts = [0];
        for (const character of file.text) starts.push(starts.at(-1)! + character.length);
        const at = starts[position % starts.length]!;
        const splice = spliceText(bytes, file, [{ start: at, end: at, text: 'X' }]);
        const result = await splice.catch((error: Error) => error);
        if (result instanceof Error) {
          expect(result.message).toMatch(/without altering|inside a character/);
          return;
        }
        const xLength = file.encoding.startsWith('utf-16') ? 2 : file.encoding.startsWith('utf-32') ? 4 : 1;
        const cut = Array.from({ length: bytes.length + 1 }, (_, offset) => offset).some((offset) => {
          const rest = Buffer.concat([result.subarray(0, offset), result.subarray(offset + xLength)]);
          return rest.equals(bytes);
        });
        expect(cut).toBe(true);
      },
    ),
    { numRuns: 400 },
  );
});
