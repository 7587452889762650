import { describe, expect, it } from 'vitest';
import { encryptedPdf, pdf, pdfBomb } from './fixtures/pdf-samples.js';
import { readPdf, showPdf } from './pdf.js';

const signal = new AbortController().signal;
const read = (bytes: Buffer, pages?: string, maxBytes = 10_000) =>
  readPdf(bytes, { pages, maxBytes, signal });
const numbered = (count: number) =>
  pdf(Array.from({ length: count }, (_, index) => `This is page ${index + 1}.`));

describe('readPdf', () => {
  it('gives the text page by page', async () => {
    expect(await read(pdf(['Hello (world)\nsecond line', 'Bye']))).toEqual({
      total: 2,
      pages: [
        { number: 1, text: 'Hello (world)\nsecond line', damaged: false },
        { number: 2, text: 'Bye', damaged: false },
      ],
    });
  });

  it('gives the pages asked for, each once', async () => {
    const { pages } = await read(numbered(12), '2-3,3,11-');
    expect(pages.map((page) => page.number)).toEqual([2, 3, 11, 12]);
    expect(pages[3]?.text).toBe('This is page 12.');
  });

  it('gives the first twenty pages when none are named', async () => {
    expect((await read(numbered(25))).pages).toHaveLength(20);
  });

  it('stops where the room ends, but gives one page at least', async () => {
    const long = pdf(['a', 'b', 'c'].map((letter) => `${letter.repeat(29)}\n`.repeat(10)));
    expect((await read(long, undefined, 700)).pages.map((page) => page.number)).toEqual([1, 2]);
    expect((await read(long, '2-3', 10)).pages.map((page) => page.number)).toEqual([2]);
  });

  it('says what is wrong with a file that is none', async () => {
    await expect(read(encryptedPdf())).rejects.toMatchObject({
      code: 'failed',
      message: 'The PDF is protected by a password. Ask for a copy without one.',
    });
    await expect(read(Buffer.from('%PDF-1.7\nrubbish'))).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/damaged or cut off/),
    });
    await expect(read(numbered(3), '9')).rejects.toMatchObject({
      code: 'invalid_params',
      message: 'pages: 9 lies past the end; the PDF has 3 pages.',
    });
  });

  it('gives up on a small file that unpacks to far more than it may take, before that fills the memory', async () => {
    const bomb = await pdfBomb(400);
    expect(bomb.length).toBeLessThan(10_000);
    let peak = 0;
    const [before, timer] = [
      process.memoryUsage.rss(),
      setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss());
      }, 10),
    ];
    await expect(readPdf(bomb, { maxBytes: 10_000, signal, memoryMb: 160 })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/^Reading the PDF took more than 160 MB of memory and was stopped/),
    });
    clearInterval(timer);
    expect(peak - before).toBeLessThan(500 * 1024 * 1024);
  });

  it('leaves the bytes it was given alone', async () => {
    const bytes = numbered(2);
    await read(bytes);
    expect(bytes.equals(numbered(2))).toBe(true);
  });
});

describe('showPdf', () => {
  it('heads every page and says how to read on', async () => {
    expect(showPdf(await read(numbered(30), '4-5'), 'a.pdf', 1000)).toBe(
      '--- page 4 of 30 ---\nThis is page 4.\n\n--- page 5 of 30 ---\nThis is page 5.\n\n[Pages 4-5 of 30. Read on with pages "6-7".]',
    );
  });

  it('ends without a notice at the last page', async () => {
    expect(showPdf(await read(numbered(2)), 'a.pdf', 1000)).toMatch(/This is page 2\.$/);
  });

  it('says so when there is no text', async () => {
    expect(showPdf(await read(pdf([null, null])), 'scan.pdf', 1000)).toBe(
      '[scan.pdf: no text on 2 pages. It is probably a scan; run OCR on it (for example ocrmypdf) and read the result.]',
    );
    expect(showPdf(await read(pdf(['one', null])), 'half.pdf', 1000)).toMatch(
      /--- page 2 of 2 ---\n\[No text on this page; it may be an image\.\]$/,
    );
  });

  it('cuts a page that is longer than all the room', async () => {
    const shown = showPdf(await read(pdf(['word '.repeat(100)])), 'a.pdf', 50);
    expect(shown).toMatch(/word\s*\n\[The rest of this page is too long to show\.\]$/);
  });
});
