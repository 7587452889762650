import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCapture } from './capture.js';

const limits = { headBytes: 40, tailBytes: 24 };

async function captured(chunks: readonly (string | Uint8Array)[], keep = limits) {
  const capture = createCapture(keep);
  for (const chunk of chunks) capture.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return capture.captured();
}

it('a capture gives short output whole', async () => {
  expect(await captured(['one\n', 'two\n'])).toEqual({
    head: 'one\ntwo\n',
    tail: '',
    totalBytes: 8,
    omittedBytes: 0,
    isBinary: false,
    encoding: 'utf-8',
  });
});

it('a capture keeps the beginning and the end of long output, and counts what lies between', async () => {
  const result = await captured(['a'.repeat(40), 'x'.repeat(1000), 'z'.repeat(24)]);
  expect(result).toMatchObject({ head: 'a'.repeat(40), tail: 'z'.repeat(24), omittedBytes: 1000 });
});

it('a capture joins both parts as long as nothing was dropped between them', async () => {
  const result = await captured(['a'.repeat(40), 'ä'.repeat(12)]);
  expect(result).toMatchObject({ head: 'a'.repeat(40) + 'ä'.repeat(12), tail: '', omittedBytes: 0 });
});

it('a capture never shows half a character, however output is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'ä', '€', '😀', '\n'), { maxLength: 200 }),
      fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 20 }),
      async (characters, sizes) => {
        const bytes = Buffer.from(characters.join(''));
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const { head, tail, omittedBytes, totalBytes } = await captured(chunks);
        expect(head + tail).not.toContain('\uFFFD');
        expect(bytes.toString().startsWith(head)).toBe(true);
        expect(bytes.toString().endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head + tail) + omittedBytes).toBe(totalBytes);
      },
    ),
    { numRuns: 200 },
  );
});

it('a capture reads output that is not UTF-8 in the encoding it is in', async () => {
  const text = 'Grüße aus Köln, schöne Straßen und größere Häuser für müde Füße.';
  const result = await captured([Buffer.from(text, 'latin1')], { headBytes: 4096, tailBytes: 64 });
  expect(result).toMatchObject({ head: text, isBinary: false });
  expect(result.encoding).not.toBe('utf-8');
});

it('a capture says when output is not text', async () => {
  const noise = Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 167) % 256));
  expect(await captured([noise])).toMatchObject({ isBinary: true });
  expect(await captured([Buffer.alloc(30)])).toMatchObject({ isBinary: true });
});

it('a capture takes names that are separated by zero bytes for text', async () => {
  expect(await captured(['src/first-file.ts\0src/second-file.ts\0'])).toMatchObject({ isBinary: false });
});
