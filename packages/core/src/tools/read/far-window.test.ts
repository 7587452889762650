import { encodeText } from '@toolwright/machine/base/text-codec.js';
import type { OpenFile } from '@toolwright/machine/host/files/files.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { farWindow, sniffEncoding, type TextEncoding } from './far-window.js';
import { lineFeedView, type TextWindow, windowOf } from './text-window.js';

const signal = new AbortController().signal;

/** The same door as a file on disk, for thousands of small cases. */
function inMemory(bytes: Uint8Array): OpenFile {
  return {
    realPath: '/memory',
    stat: { kind: 'file', size: bytes.length, mode: 0o644, mtimeMs: 0, links: 1, device: 0n, inode: 0n },
    read: async (offset, length) => bytes.slice(offset, offset + length),
    readInto: async (buffer, offset) => {
      const part = bytes.subarray(offset, offset + buffer.length);
      buffer.set(part);
      return part.length;
    },
    close: async () => undefined,
  };
}

const encodings: (TextEncoding & { letters: string })[] = [
  { name: 'utf-8', bomLength: 0, letters: 'aé漢😀' },
  { name: 'utf-8', bomLength: 3, letters: 'aé漢😀' },
  { name: 'utf-16le', bomLength: 2, letters: 'aਊ漢😀\u0a00' },
  { name: 'utf-16be', bomLength: 2, letters: 'aਊ漢😀\u0a00' },
  { name: 'utf-16le', bomLength: 0, letters: 'a漢\u0a0a' },
  { name: 'utf-32le', bomLength: 4, letters: 'a\u0a0a😀' },
  { name: 'utf-32be', bomLength: 4, letters: 'a\u0a0a😀' },
  { name: 'gbk', bomLength: 0, letters: 'a汉字' },
  { name: 'shift_jis', bomLength: 0, letters: 'aあ表' },
  { name: 'iso-8859-1', bomLength: 0, letters: 'aéÿ' },
];

const anyCase = fc.constantFrom(...encodings).chain((encoding) =>
  fc.record({
    encoding: fc.constant(encoding),
    text: fc
      .array(fc.constantFrom(...encoding.letters, '\n', '\r\n', ' '), { minLength: 1, maxLength: 300 })
      .map((units) => units.join('')),
    limit: fc.integer({ min: 1, max: 12 }),
    chunkBytes: fc.integer({ min: 1, max: 30 }).map((quads) => quads * 4),
  }),
);

const longestLine = (text: string) =>
  Math.max(...text.split('\n').map((line) => Buffer.byteLength(line) + 1));

describe('a window read by streaming', () => {
  it('is the window of the whole text, for every encoding, chunk border and offset', async () => {
    const anyOffset = fc.integer({ min: -40, max: 40 });
    await fc.assert(
      fc.asyncProperty(anyCase, anyOffset, async ({ encoding, text, limit, chunkBytes }, offset) => {
        const bytes = await encodeText(text, { encoding: encoding.name, bomLength: encoding.bomLength });
        const request = { offset, limit, maxBytes: longestLine(text) + 40 };
        const expected = windowOf(lineFeedView(text), request);
        const found = await farWindow(inMemory(bytes), encoding, { ...request, chunkBytes, signal });
        if (expected) expect(found).toEqual(expected);
        else expect(found).toEqual({ pastEndOf: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) });
      }),
      { numRuns: 400 },
    );
  });

  it('continues where it ended, until the whole text was given', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ encoding, text, limit, chunkBytes }) => {
        const bytes = await encodeText(text, { encoding: encoding.name, bomLength: encoding.bomLength });
        let read = '';
        let offset: number | null = 0;
        while (offset !== null) {
          const request = { offset, limit, maxBytes: longestLine(text), chunkBytes, signal };
          const window = (await farWindow(inMemory(bytes), encoding, request)) as TextWindow;
          read += window.text;
          offset = window.nextOffset;
        }
        expect(read).toBe(lineFeedView(text));
      }),
      { numRuns: 150 },
    );
  });

  it('goes on after a line that is longer than a window', async () => {
    const file = inMemory(Buffer.from(`first\n${'x'.repeat(100_000)}\nlast\n`));
    const encoding = { name: 'utf-8', bomLength: 0 };
    const read = async (offset: number) =>
      (await farWindow(file, encoding, { offset, limit: 10, maxBytes: 1000, signal })) as TextWindow;
    expect(await read(0)).toMatchObject({ text: 'first\n', nextOffset: 1, totalLines: 3 });
    expect(await read(1)).toMatchObject({ text: `${'x'.repeat(500)}…\n`, nextOffset: 2, clippedLines: 1 });
    expect(await read(2)).toMatchObject({ text: 'last\n', nextOffset: null });
  });
});

describe('the encoding of a long file', () => {
  it.each(encodings)(
    'is told by its beginning: $name, mark of $bomLength bytes',
    async ({ name, bomLength, letters }) => {
      const sentences: Record<string, string> = {
        gbk: '这是一个用于测试编码检测的中文文件，每一行都有足够多的汉字。',
        shift_jis: 'これは文字コードの判定を試すための日本語の文章です。',
        'iso-8859-1': 'Voilà une ligne écrite en français, déjà très accentuée à souhait.',
      };
      const line = sentences[name] ?? `plain words and ${letters} once more`;
      const text = `${line}\n`.repeat(3000);
      const file = inMemory(await encodeText(text, { encoding: name, bomLength }));
      expect(await sniffEncoding(file, signal)).toEqual({ name, bomLength });
    },
  );

  it('is found although the sample ends inside a character', async () => {
    for (const shift of [0, 1, 2]) {
      const text = `${'a'.repeat(shift)}${'漢'.repeat(40_000)}`;
      expect(await sniffEncoding(inMemory(Buffer.from(text)), signal)).toEqual({
        name: 'utf-8',
        bomLength: 0,
      });
    }
  });

  it('is none for binary data', async () => {
    const noise = Buffer.from(
      Array.from({ length: 70_000 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 24),
    );
    expect(await sniffEncoding(inMemory(noise), signal)).toBeNull();
  });
});
