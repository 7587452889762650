import type { Appearance } from '../line.js';

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar over a part of the width, to an eighth of a column where the terminal has such letters. Of whatever is there, something is seen. */
export function barOf(part: number, width: number, { unicode }: Pick<Appearance, 'unicode'>): string {
  const length = Math.min(1, part) * width;
  if (!unicode) return '#'.repeat(part > 0 ? Math.max(1, Math.round(length)) : 0);
  const units = part > 0 ? Math.max(1, Math.round(length * 8)) : 0;
  return '█'.repeat(Math.floor(units / 8)) + eighths[units % 8]!;
}
