import { describe, expect, it } from 'vitest';
import { line, paint } from './line.js';
import { themeFor, themeNames } from './theme.js';

const painted = (name: string, style: Parameters<typeof line>[1], more = {}): string =>
  paint(line('x', style), { color: true, theme: themeFor({ name, isLight: false }), ...more });

it('a theme is chosen by name, and by the background where none is', () => {
  expect(themeNames).toEqual(['auto', 'dark', 'light', 'contrast', 'color-blind']);
  expect(themeFor({ name: 'auto', isLight: true }).name).toBe('light');
  expect(themeFor({ name: 'auto', isLight: false }).name).toBe('dark');
  expect(themeFor({ name: 'contrast', isLight: true }).name).toBe('contrast');
});

it('each theme writes its own colours, and no red or green for users who can not tell them apart', () => {
  expect(painted('dark', { color: 'red' })).toBe('\x1b[31mx\x1b[0m');
  expect(painted('light', { dim: true })).toBe('\x1b[38;5;242mx\x1b[0m');
  expect(painted('contrast', { color: 'red' })).toBe('\x1b[1;91mx\x1b[0m');
  expect(painted('color-blind', { color: 'red' })).toBe('\x1b[38;5;208mx\x1b[0m');
});

/** How far two of the 256 colours are apart, from 1 to 21, as the Web Content Accessibility Guidelines measure it. */
function contrastOf(one: number, other: number): number {
  const [more, less] = [
    Math.max(brightness(one), brightness(other)),
    Math.min(brightness(one), brightness(other)),
  ];
  return (more + 0.05) / (less + 0.05);
}

function brightness(index: number): number {
  const parts =
    index >= 232
      ? [index, index, index].map((grey) => 8 + 10 * (grey - 232))
      : [36, 6, 1].map(
          (step) => [0, 95, 135, 175, 215, 255][Math.floor((index - 16) / step) % 6] ?? Number.NaN,
        );
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const [BLACK, WHITE] = [16, 231];
/** A colour that is not one of the 256 has none that could be measured. */
const indexOf = (parameter: string): number => Number(/;5;(\d+)$/.exec(parameter)?.[1] ?? Number.NaN);

it.each(['contrast', 'color-blind'])('the theme %s can be read on a light background', (name) => {
  const { colors, backgrounds, dim } = themeFor({ name, isLight: true });
  for (const color of [...Object.values(colors), ...(dim === '39' ? [] : [dim ?? ''])])
    expect(contrastOf(indexOf(color), WHITE), color).toBeGreaterThan(4.5);
  for (const background of Object.values(backgrounds ?? {}))
    expect(contrastOf(indexOf(background), BLACK), background).toBeGreaterThan(7);
});

it('the theme for users who can not tell red from green keeps them apart on a light background', () => {
  const { colors } = themeFor({ name: 'color-blind', isLight: true });
  expect([colors.red, colors.green]).toEqual(['38;5;130', '38;5;25']);
});

it('changed words are marked with a colour behind them, or reversed where the terminal has few', () => {
  expect(painted('dark', { background: 'addedWord' }, { manyColors: true })).toBe('\x1b[48;5;28mx\x1b[0m');
  expect(painted('dark', { background: 'addedWord' })).toBe('\x1b[7;32mx\x1b[0m');
  expect(painted('dark', { background: 'removed' })).toBe('\x1b[31mx\x1b[0m');
});

it('colours of the user take the place of those of the theme, and a colour that there is not changes nothing', () => {
  const own = { red: '208', green: '#00ff7f', blue: 'sky', added: '#102030', cyan: '300' };
  const { colors, backgrounds } = themeFor({ name: 'dark', own, isLight: false });
  expect(colors).toMatchObject({ red: '38;5;208', green: '38;2;0;255;127', blue: '34', cyan: '36' });
  expect(backgrounds).toMatchObject({ added: '48;2;16;32;48', removed: '48;5;52' });
});

describe('a link', () => {
  const linked = (link: string): string => paint(line('x', { link }), { color: false, links: true });
  it('of the web is one for the terminal', () => {
    expect(linked('https://a.b/c?d=1')).toBe('\x1b]8;;https://a.b/c?d=1\x07x\x1b]8;;\x07');
    expect(paint(line('x', { link: 'https://a.b' }), { color: false })).toBe('x');
  });

  it.each([
    'file:///etc/passwd',
    'javascript:x',
    'https://a\x07b',
    'https://a\x1b\\b',
    `https://${'a'.repeat(2_000)}`,
    '',
  ])('to %j is none', (link) => {
    expect(linked(link)).toBe('x');
  });
});
