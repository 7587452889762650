import { toParts } from '@toolwright/machine/base/content.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeGif } from './media/fixtures/gif-encoder.js';
import {
  animatedWebp,
  bmp,
  ico,
  jpeg,
  look,
  noise,
  png,
  tiff,
  turnedJpeg,
  webp,
} from './media/fixtures/image-samples.js';
import { pdf } from './media/fixtures/pdf-samples.js';
import { ReadFileTool } from './read-file.js';

const samples = {
  'a.png': png(60, 40, noise),
  'a.jpg': turnedJpeg(jpeg(60, 40, noise), 6),
  'a.webp': webp(60, 40, noise),
  'moving.webp': animatedWebp(30, 30),
  'a.gif': encodeGif({ width: 40, height: 40, palette: [1, 2, 3, 4, 5, 6], frames: [Array(1600).fill(1)] }),
  'a.bmp': bmp(40, 40),
  'a.tif': tiff(40, 40),
  'a.ico': ico(40),
  'a.pdf': pdf(['Some words', 'More words']),
  'a.ipynb': Buffer.from(
    JSON.stringify({
      cells: [
        {
          cell_type: 'code',
          source: 'x',
          outputs: [{ data: { 'image/png': png(30, 30).toString('base64') } }],
        },
      ],
    }),
  ),
};

let workspace: TempWorkspace;
beforeAll(() => {
  workspace = createTempWorkspace();
});
afterAll(() => workspace.cleanup());

it('never throws, hangs or hands over an image that can not be decoded, however a file is damaged', async () => {
  const tool = new ReadFileTool(workspace);
  const counts = { images: 0, refused: 0, other: 0 };
  const share = fc.noBias(fc.nat(1_000_000)).map((value) => value / 1_000_000);
  const damage = fc.array(fc.tuple(share, fc.nat(255)), {
    maxLength: 12,
  });
  const anyCase = fc.tuple(
    fc.constantFrom(...Object.entries(samples)),
    damage,
    fc.option(share, { freq: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(anyCase, async ([[name, bytes], changes, cut]) => {
      const damaged = Buffer.from(bytes);
      for (const [place, byte] of changes) damaged[Math.floor(place * (damaged.length - 1))] = byte;
      workspace.write(
        name,
        damaged.subarray(0, cut === null ? damaged.length : Math.ceil(cut * damaged.length)),
      );
      const result = await tool.execute({ absolute_path: workspace.path(name) }, AbortSignal.timeout(60_000));
      if (result.error) {
        expect(result.error.code).toMatch(/^(failed|too_large)$/);
        counts.refused += 1;
        return;
      }
      for (const { inlineData } of toParts(result.llmContent)) {
        if (!inlineData) continue;
        counts.images += 1;
        expect(look(Buffer.from(inlineData.data!, 'base64')).width).toBeGreaterThan(0);
      }
      counts.other += 1;
    }),
    { numRuns: 1000, seed: 20_251_116 },
  );
  console.log(
    `1000 damaged files: ${counts.refused} refused, ${counts.other} read, ${counts.images} images handed over`,
  );
  expect(counts.refused).toBeGreaterThan(100);
  expect(counts.images).toBeGreaterThan(100);
});
