import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeGif } from './fixtures/gif-encoder.js';
import { decodeGif } from './gif.js';

const palette = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9];
const colors = (pixels: Uint8Array) =>
  Array.from({ length: pixels.length / 4 }, (_, index) => [...pixels.subarray(index * 4, index * 4 + 4)]);

describe('decodeGif', () => {
  it('paints the first frame and counts the others', () => {
    const gif = decodeGif(
      encodeGif({
        width: 2,
        height: 1,
        palette,
        frames: [
          [0, 2],
          [1, 1],
          [2, 2],
        ],
      }),
    );
    expect(gif).toMatchObject({ width: 2, height: 1, frames: 3 });
    expect(colors(gif!.pixels)).toEqual([
      [255, 0, 0, 255],
      [0, 0, 255, 255],
    ]);
  });

  it('leaves transparent pixels clear', () => {
    const gif = decodeGif(encodeGif({ width: 2, height: 1, palette, frames: [[3, 1]], transparent: 3 }));
    expect(colors(gif!.pixels)).toEqual([
      [0, 0, 0, 0],
      [0, 255, 0, 255],
    ]);
  });

  it('gives back what was encoded, whatever it is', () => {
    const sized = fc.record({
      width: fc.integer({ min: 1, max: 60 }),
      height: fc.integer({ min: 1, max: 60 }),
      bits: fc.integer({ min: 1, max: 8 }),
      interlaced: fc.boolean(),
      seed: fc.integer(),
      runs: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(sized, ({ width, height, bits, interlaced, seed, runs }) => {
        const table = Array.from({ length: 3 << bits }, (_, index) => (index * 37) & 255);
        const frame = Array.from(
          { length: width * height },
          (_, index) =>
            (Math.imul(Math.floor(index / runs) + seed, 2_654_435_761) >>> 16) & ((1 << bits) - 1),
        );
        const gif = decodeGif(encodeGif({ width, height, palette: table, frames: [frame], interlaced }));
        expect(colors(gif!.pixels)).toEqual(
          frame.map((index) => [table[index * 3], table[index * 3 + 1], table[index * 3 + 2], 255]),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('refuses damaged and cut files without throwing', () => {
    const whole = encodeGif({
      width: 30,
      height: 30,
      palette,
      frames: [Array.from({ length: 900 }, (_, i) => i % 4)],
    });
    for (let length = 0; length < whole.length - 2; length += 1) {
      expect(decodeGif(whole.subarray(0, length)), `cut at ${length}`).toBeNull();
    }
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const damaged = Buffer.from(whole);
        damaged[at] = byte;
        if (damaged.readUInt16LE(6) * damaged.readUInt16LE(8) < 1e6) decodeGif(damaged);
      }),
      { numRuns: 500 },
    );
  });
});
