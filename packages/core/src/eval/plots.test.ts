import { expect, it } from 'vitest';
import { dotPlot } from './plots.js';

const labels = (plot: string): string[] =>
  Array.from(plot.matchAll(/<text x="\d+%" y="14"[^>]*>([^<]*)</g), ([, label]) => label!);

it.each([
  [13_200, ['0', '4,000', '8,000', '12,000', '16,000']],
  [0.9, ['0', '0.25', '0.5', '0.75', '1']],
  [1.2, ['0', '0.3', '0.6', '0.9', '1.2']],
  [0, ['0', '0.00025', '0.0005', '0.00075', '0.001']],
])('an axis up to %s has short numbers that are exact', (value, expected) => {
  expect(labels(dotPlot('Tokens', [{ name: 'a', points: [{ value, passed: true }] }]))).toEqual(expected);
});

it('a plot is as wide as the page, and shows a name of a task as it is', () => {
  const points = [
    { value: 4_000, passed: true },
    { value: 16_000, passed: false },
  ];
  const drawn = dotPlot('Tokens', [{ name: 'a & <b>', points }]);
  expect(drawn).toContain('<circle class="good" cx="25%"');
  expect(drawn).toContain('<circle class="bad" cx="100%"');
  expect(drawn).toContain('>a &amp; &lt;b&gt;</div>');
});
