import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTerminalSafe, terminalSafe } from './terminal-safe.js';

const forbidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/u;

it('text for a terminal gives the same for any text in any chunks, and nothing dangerous in any of them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), (chunks) => {
      const safe = createTerminalSafe();
      const pieces = [...chunks.map((chunk) => safe.write(chunk)), safe.end()];
      for (const piece of pieces) expect(piece).not.toMatch(forbidden);
      expect(pieces.join('')).toBe(terminalSafe(chunks.join('')));
    }),
    { numRuns: 2000 },
  );
});
