import type { ToolError } from '@toolwright/machine/base/errors.js';
import { describe, expect, it } from 'vitest';
import { typeByContent } from './file-type.js';
import { encodeGif } from './fixtures/gif-encoder.js';
import {
  animatedWebp,
  bmp,
  halves,
  ico,
  jpeg,
  look,
  noise,
  png,
  pngClaiming,
  red,
  tiff,
  turnedJpeg,
  webp,
} from './fixtures/image-samples.js';
import { fittingSize, prepareImage } from './image.js';

const never = new AbortController().signal;

function prepare(bytes: Buffer, signal = never) {
  return prepareImage(bytes, typeByContent(bytes)!, signal);
}

async function problem(bytes: Buffer): Promise<ToolError> {
  return prepare(bytes).then(
    () => expect.unreachable('the image was accepted'),
    (error: unknown) => error as ToolError,
  );
}

describe('an image that every provider takes', () => {
  it.each([
    ['PNG', png(80, 60)],
    ['JPEG', jpeg(80, 60)],
    ['WebP', webp(80, 60)],
  ])('stays as it is: %s', async (_name, bytes) => {
    const image = await prepare(bytes);
    expect(image).toMatchObject({ original: { width: 80, height: 60 }, changes: '' });
    expect(Buffer.from(image.bytes).equals(bytes)).toBe(true);
  });

  it('is recognised by content, whatever it is called', () => {
    expect(typeByContent(jpeg(30, 30), 'photo.png')?.mimeType).toBe('image/jpeg');
  });
});

describe('a large image', () => {
  it('is made smaller, keeping its proportions', async () => {
    const image = await prepare(png(3136, 1000, halves(3136)));
    expect(image.changes).toBe('shown at 1,568 × 500');
    expect(image.original).toEqual({ width: 3136, height: 1000 });
    const seen = look(image.bytes);
    expect([seen.width, seen.height]).toEqual([1568, 500]);
    expect(seen.at(100, 250)).toEqual([255, 0, 0, 255]);
    expect(seen.at(1500, 250)).toEqual([0, 0, 255, 255]);
  });

  it('becomes a JPEG when a PNG would be too many bytes', async () => {
    const image = await prepare(png(1500, 1200, noise));
    expect(image.mimeType).toBe('image/jpeg');
    expect(image.bytes.length).toBeLessThanOrEqual(3_500_000);
    expect(image.changes).toBe('converted to JPEG');
  });

  it('is refused unread when its header claims more pixels than can be decoded', async () => {
    const error = await problem(pngClaiming(60_000, 60_000));
    expect(error.code).toBe('too_large');
    expect(error.message).toMatch(/is 60,000 × 60,000 pixels, too many to decode/);
  });
});

describe('a photograph taken with the camera on its side', () => {
  it.each([
    [3, 1600, 'blue left'],
    [6, 800, 'red top'],
    [8, 800, 'blue top'],
  ])('is turned upright when it is made smaller (orientation %i)', async (orientation, width, expected) => {
    const image = await prepare(turnedJpeg(jpeg(1600, 800, halves(1600)), orientation));
    expect(image.original.width).toBe(width);
    const seen = look(image.bytes);
    const [first, label] = orientation === 3 ? [seen.at(20, 300), 'left'] : [seen.at(300, 20), 'top'];
    expect(`${first[0]! > 200 ? 'red' : 'blue'} ${label}`).toBe(expected);
  });
});

describe('an icon', () => {
  it('is enlarged without blur, because some providers refuse tiny images', async () => {
    const image = await prepare(png(16, 16, halves(16)));
    expect(image.changes).toBe('shown at 32 × 32');
    expect(look(image.bytes).at(15, 5)).toEqual([255, 0, 0, 255]);
    expect(look(image.bytes).at(16, 5)).toEqual([0, 0, 255, 255]);
  });
});

describe('formats that not every provider takes', () => {
  it.each([
    ['BMP', bmp(40, 30)],
    ['TIFF', tiff(40, 30)],
    ['an icon file', ico(40)],
    ['GIF', encodeGif({ width: 40, height: 30, palette: [1, 2, 3, 4, 5, 6], frames: [Array(1200).fill(1)] })],
  ])('are converted to PNG: %s', async (_name, bytes) => {
    const image = await prepare(bytes);
    expect(image).toMatchObject({ mimeType: 'image/png', changes: 'converted to PNG' });
    expect(look(image.bytes).width).toBe(40);
  });

  it('are told by name when they can not be decoded', async () => {
    const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic', 'latin1'), Buffer.alloc(500)]);
    expect((await problem(heic)).message).toBe(
      "The HEIF image (512 bytes) can't be shown: this format is not supported. Convert it to PNG first.",
    );
  });
});

describe('an animation', () => {
  it('is shown by its first frame', async () => {
    const frame = (color: number) => Array<number>(2500).fill(color);
    const gif = encodeGif({
      width: 50,
      height: 50,
      palette: [7, 8, 9, 1, 1, 1],
      frames: [frame(0), frame(1)],
    });
    const image = await prepare(gif);
    expect(image.changes).toBe('animated, the first of 2 frames is shown, converted to PNG');
    expect(look(image.bytes).at(25, 25)).toEqual([7, 8, 9, 255]);
    expect((await prepare(animatedWebp(40, 40))).changes).toBe(
      'animated, the first of 3 frames is shown, converted to PNG',
    );
  });
});

describe('a damaged image', () => {
  it.each([
    ['PNG', png(200, 200, noise)],
    ['JPEG', jpeg(200, 200, noise)],
    ['WebP', webp(200, 200, noise)],
    ['GIF', encodeGif({ width: 50, height: 50, palette: [1, 1, 1, 2, 2, 2], frames: [Array(2500).fill(1)] })],
    ['BMP', bmp(200, 200)],
  ])('is refused when it is cut off: %s', async (_name, bytes) => {
    for (const share of [0.3, 0.9]) {
      const error = await problem(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(error.code).toBe('failed');
      expect(error.message).toMatch(/^The .* can't be shown: it.*\.$/);
    }
  });

  it('is refused when the data in a whole container is rubbish', async () => {
    const bytes = png(200, 200, noise);
    bytes.fill(0x55, 100, bytes.length - 100);
    expect((await problem(bytes)).message).toMatch(/its data is damaged/);
  });

  it('is refused when it is a signature and nothing more', async () => {
    for (const bytes of [png(9, 9).subarray(0, 8), jpeg(9, 9).subarray(0, 4), webp(9, 9).subarray(0, 12)]) {
      expect((await problem(bytes)).message).toMatch(/cut off|no size/);
    }
  });

  it('leaves the next image unharmed', async () => {
    await problem(png(200, 200, noise).subarray(0, 1000));
    await expect(prepare(png(50, 50, red))).resolves.toMatchObject({ changes: '' });
  });
});

it('the reader of images stops decoding when the call is cancelled', async () => {
  const controller = new AbortController();
  const work = prepare(png(2000, 1500), controller.signal);
  controller.abort({ kind: 'user' });
  await expect(work).rejects.toEqual({ kind: 'user' });
});

it('the reader of images chooses the size of the image to send', () => {
  const sizes: [number, number, object | null][] = [
    [800, 600, null],
    [1568, 1568, null],
    [28, 28, null],
    [1569, 10, { width: 1568, height: 10 }],
    [20_000, 2, { width: 1568, height: 1 }],
    [1, 1, { width: 28, height: 28 }],
    [1, 1000, null],
    [10, 400, { width: 30, height: 1200 }],
  ];
  for (const [width, height, expected] of sizes) expect(fittingSize({ width, height })).toEqual(expected);
});
