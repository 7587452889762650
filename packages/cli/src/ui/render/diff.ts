import type { SafeDiff, SafeFile } from '../../app/safe-text.js';
import { indented, line, type Style, type StyledLine, wrap } from './line.js';

/** Each changed file under a heading; the marks `+` and `-` stay, so that it reads without colours too. */
export function renderDiff(diff: SafeDiff, width: number): StyledLine[] {
  if (diff.length === 0) return [line('Nothing changed.', { dim: true })];
  return diff.flatMap((file) => [...wrap(diffHeading(file), width), ...diffBody(file, width)]);
}

export function diffHeading({ change, path, unified, added, removed }: SafeFile): StyledLine {
  const name = { text: `${change} ${path} `, style: { bold: true } };
  // A folder has no lines.
  if (unified === '') return [name];
  return [
    name,
    { text: `+${added}`, style: { color: 'green' } },
    { text: ' ' },
    { text: `-${removed}`, style: { color: 'red' } },
  ];
}

function diffBody({ unified }: SafeFile, width: number): StyledLine[] {
  const rows = unified.replace(/\n$/, '').split('\n');
  // The two lines that name the file say nothing the heading does not.
  const start = rows[0]?.startsWith('--- ') && rows[1]?.startsWith('+++ ') ? 2 : 0;
  return rows
    .slice(start)
    .filter((row) => row !== '')
    .flatMap((row) => {
      const parts = wrap(line(row, styleOf(row)), width - 2, { preformatted: true });
      return indented(parts, { text: '  ' });
    });
}

function styleOf(row: string): Style {
  if (row.startsWith('+')) return { color: 'green' };
  if (row.startsWith('-')) return { color: 'red' };
  return row.startsWith('@@') ? { color: 'cyan' } : {};
}
