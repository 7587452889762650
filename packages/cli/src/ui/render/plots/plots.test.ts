import { expect, it } from 'vitest';
import { safe } from '../../../app/safe-text.js';
import type { Shares } from '../../../app/shares.js';
import { type Appearance, textOfLine } from '../line.js';
import { barOf } from './bar.js';
import { renderShares } from './shares.js';

const parts: [string, number][] = [
  ['Instructions', 2_000],
  ['Tools', 3_000],
  ['Results', 40_000],
];
const shares: Shares = {
  title: safe('Context'),
  total: 100_000,
  unit: safe('tokens'),
  parts: parts.map(([name, value]) => ({ name: safe(name), value })),
  mark: 0.8,
};
const rich: Appearance = { color: true, unicode: true, linear: false };
const shown = (more: Partial<Appearance>, of = shares, width = 42): string[] =>
  renderShares(of, width, { ...rich, ...more }).map(textOfLine);

it.each([
  [0, '', ''],
  [0.001, '▏', '#'],
  [0.5, '█████', '#####'],
  [0.51, '█████▏', '#####'],
  [1, '██████████', '##########'],
  [7, '██████████', '##########'],
])('a bar of ten columns shows %s as %j, without letters beyond ASCII as %j', (part, fine, plain) => {
  expect(barOf(part, 10, { unicode: true })).toBe(fine);
  expect(barOf(part, 10, { unicode: false })).toBe(plain);
});

it('shares are one bar in colours with a mark, and a row with a legend for each', () => {
  expect(shown({})).toEqual([
    'Context: about 45,000 of 100,000 tokens,',
    '45 %',
    `  ██${'█'.repeat(16)}${'░'.repeat(14)}│░░░░░░░`,
    '  ■ Instructions        2,000   2.0 %',
    '  ■ Tools               3,000   3.0 %',
    '  ■ Results            40,000    40 %',
    '  ░ Free               55,000    55 %',
  ]);
  const bar = renderShares(shares, 42, rich)[2]!;
  expect(bar.map(({ text, style }) => [text.length, style?.color])).toEqual([
    [2, undefined],
    [1, 'blue'],
    [1, 'cyan'],
    [16, 'green'],
    [14, undefined],
    [1, 'yellow'],
    [7, undefined],
  ]);
});

it('shares have signs of ASCII where the locale has no others, and no legend without colours', () => {
  expect(shown({ unicode: false }, shares, 62).slice(0, 3)).toEqual([
    'Context: about 45,000 of 100,000 tokens, 45 %',
    `  ${'#'.repeat(27)}${'.'.repeat(21)}|${'.'.repeat(11)}`,
    '  Instructions        2,000   2.0 %',
  ]);
  expect(shown({ color: false })[3]).toBe('  Instructions        2,000   2.0 %');
});

it('shares are sentences where nothing is laid out in columns', () => {
  expect(shown({ linear: true }, shares, 80)).toEqual([
    'Context: about 45,000 of 100,000 tokens, 45 %',
    'Instructions: 2,000 tokens, 2.0 %',
    'Tools: 3,000 tokens, 3.0 %',
    'Results: 40,000 tokens, 40 %',
    'Free: 55,000 tokens, 55 %',
  ]);
});

it('shares that are more than the whole fill the bar, and a crumb of one is seen', () => {
  const part = (value: number): Shares => ({ ...shares, parts: [{ name: safe('Tools'), value }] });
  expect(shown({}, part(200_000))[2]).toBe(`  ${'█'.repeat(40)}`);
  expect(shown({}, part(20)).slice(2, 4)).toEqual([
    `  ▏${'░'.repeat(31)}│░░░░░░░`,
    '  ■ Tools                  20  <0.1 %',
  ]);
});
