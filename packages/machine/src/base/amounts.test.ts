import { expect, it } from 'vitest';
import { formatAbout, formatBytes, formatDuration, formatNumber, plural } from './amounts.js';

it('sizes are printed short', () => {
  expect([1, 999, 1024, 1536, 10_485_760, 1_099_511_627_775, 2 ** 31].map(formatBytes)).toEqual([
    '1 byte',
    '999 bytes',
    '1 kB',
    '1.5 kB',
    '10 MB',
    '1 TB',
    '2 GB',
  ]);
});

it('digits are grouped by three', () => {
  expect([0, 999, 1000, 1234567, 1023.9].map(formatNumber)).toEqual([
    '0',
    '999',
    '1,000',
    '1,234,567',
    '1,023.9',
  ]);
});

it('an estimate keeps two significant digits', () => {
  expect([0, 7, 99, 119, 1673, 12_345, 1_250_000].map(formatAbout)).toEqual([
    '0',
    '7',
    '99',
    '120',
    '1,700',
    '12,000',
    '1,300,000',
  ]);
});

it('a count puts its noun in the plural', () => {
  expect([plural(0, 'line'), plural(1, 'line'), plural(2000, 'line')]).toEqual([
    '0 lines',
    '1 line',
    '2,000 lines',
  ]);
});

it('a duration is told in its two largest units', () => {
  expect([0, 350.4, 7_430, 59_940, 60_000, 3_599_000, 3_600_000, 11_100_000].map(formatDuration)).toEqual([
    '0 ms',
    '350 ms',
    '7.4 s',
    '59.9 s',
    '1 min',
    '59 min',
    '1 h 0 min',
    '3 h 5 min',
  ]);
});
