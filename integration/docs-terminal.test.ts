import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocument } from './documents/blocks.js';

const root = new URL('../', import.meta.url);
const document = readDocument('terminal.md');
const tests = readdirSync(new URL('integration', root))
  .filter((name) => /^(?:mcp-)?terminal.*\.test\.ts$/.test(name))
  .map((name) => readFileSync(new URL(`integration/${name}`, root), 'utf8'))
  .join('\n');
/** The titles of the flows, each of which runs the built program on a pseudo-terminal. */
const flows = Array.from(tests.matchAll(/\bflow\(\s*(['`])((?:(?!\1).)*)\1,/g), ([, , title = '']) => title);

/** The rows of the tables whose last column names a test. */
const rows = document
  .split('\n\n')
  .filter((block) => /test that shows it \|\n/.test(block))
  .flatMap((block) => block.split('\n').slice(2))
  .filter((row) => row.startsWith('|'))
  .map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .map((cells) => ({ capability: cells[0] ?? '', shownBy: cells.at(-1) ?? '' }));

describe('docs/terminal.md', () => {
  it('names a test for many capabilities', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(flows.length).toBeGreaterThan(60);
  });

  it.each(rows)('$capability is shown by a test that there is', ({ shownBy }) => {
    expect(flows.filter((title) => title.startsWith(shownBy))).toHaveLength(1);
  });

  it('shows pictures that there are', () => {
    const pictures = Array.from(document.matchAll(/\((pictures\/[^)]+)\)/g), ([, path = '']) => path);
    expect(pictures.length).toBeGreaterThan(40);
    for (const path of pictures)
      expect([path, existsSync(new URL(`docs/${path}`, root))]).toEqual([path, true]);
  });

  it('is right about the files that its other table names', () => {
    for (const [, name] of document.matchAll(/`(terminal-\w+\.test\.ts)`/g))
      expect(existsSync(new URL(`integration/${name}`, root))).toBe(true);
  });
});
