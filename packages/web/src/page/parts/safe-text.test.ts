import { expect, it } from 'vitest';
import { safeText } from './safe-text.js';

it.each([
  ['plain\ttext\nof two lines', 'plain\ttext\nof two lines'],
  ['safe\u202etxt.exe', 'safe<U+202E>txt.exe'],
  ['a\u200bb\ufeff', 'a<U+200B>b<U+FEFF>'],
  ['\u001b[31mred\u0007', '<U+001B>[31mred<U+0007>'],
  ['tag\u{e0041}', 'tag<U+E0041>'],
  ['line\r\nend', 'line\nend'],
])('%j is shown as %j', (text, shown) => {
  expect(safeText(text)).toBe(shown);
});
