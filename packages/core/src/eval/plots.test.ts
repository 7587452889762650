import { expect, it } from 'vitest';
import { dotPlot } from './plots.js';

const labels = (svg: string): string[] =>
  Array.from(svg.matchAll(/<text x="\d+" y="14"[^>]*>([^<]*)</g), ([, label]) => label!);

it.each([
  [13_200, ['0', '4,000', '8,000', '12,000', '16,000 tokens']],
  [0.9, ['0', '0.25', '0.5', '0.75', '1 tokens']],
  [1.2, ['0', '0.3', '0.6', '0.9', '1.2 tokens']],
  [0, ['0', '0.00025', '0.0005', '0.00075', '0.001 tokens']],
])('an axis up to %s has short numbers that are exact, and the last one is whole', (value, expected) => {
  const svg = dotPlot([{ name: 'a', points: [{ value, passed: true }] }], 'tokens');
  expect(labels(svg)).toEqual(expected);
  expect(svg).toMatch(/<text x="900" y="14" text-anchor="end">[\d.,]+ tokens</);
});
