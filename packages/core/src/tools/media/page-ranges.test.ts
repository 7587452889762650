import { expect, it } from 'vitest';
import { parsePageRanges, showPages } from './page-ranges.js';

it.each([
  ['3', [[3, 3]]],
  [
    '1-5,8',
    [
      [1, 5],
      [8, 8],
    ],
  ],
  [
    ' 2 - 4 , 9- ',
    [
      [2, 4],
      [9, Number.POSITIVE_INFINITY],
    ],
  ],
])('the reader of page ranges reads %s as ranges', (text, ranges) => {
  expect(parsePageRanges(text)).toEqual(ranges);
});

it.each(['', 'all', '1,', '-3', '1-2-3', '1.5', '12345678', '0', '5-2', '0-3'])(
  'the reader of page ranges refuses %j and says how to write it',
  (text) => {
    expect(parsePageRanges(text)).toMatch(/^pages: ".*" is .*like "1-5,8"\.$/);
  },
);

it('the reader of page ranges writes pages the short way', () => {
  expect([[1], [1, 2, 3, 7, 9, 10], []].map(showPages)).toEqual(['1', '1-3,7,9-10', '']);
});
