import { expect, it } from 'vitest';
import { pdfBomb } from './fixtures/pdf-samples.js';
import { readPdf } from './pdf.js';

it('the reader of PDFs gives up on a small file that unpacks to gigabytes at the limit that every file has', async () => {
  const { signal } = new AbortController();
  await expect(readPdf(await pdfBomb(1_500), { maxBytes: 10_000, signal })).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/^Reading the PDF took more than 768 MB of memory and was stopped/),
  });
});
