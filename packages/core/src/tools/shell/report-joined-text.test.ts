import { expect, it } from 'vitest';
import { joinText } from './report.js';

const long = 'a line of text\n'.repeat(100_000);

it.each([
  ['nothing', []],
  ['a few words', ['one ', '', 'two']],
  ['megabytes of ASCII', [long, '\n', long, 'end']],
  ['megabytes with another character', [long, 'é', long]],
  ['megabytes with half of a surrogate pair', [long, '\ud800', '😀']],
])('%s are joined as they are', (_what, parts) => {
  expect(joinText(parts)).toBe(parts.join(''));
});
