import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { drawTry } = await import(new URL('./picture.mjs', import.meta.url).href);

it('shows the recorded example of try in the picture at the top of the README; node scripts/picture.mjs draws it anew', () => {
  const root = new URL('../', import.meta.url);
  expect(readFileSync(new URL('docs/try.svg', root), 'utf8')).toBe(drawTry());
  expect(readFileSync(new URL('README.md', root), 'utf8').slice(0, 1_500)).toContain('(docs/try.svg)');
});

it('the moving picture of the README shows question, diff, answer and undo, is small and loads nothing; node scripts/cast.mjs records it anew', () => {
  const root = new URL('../', import.meta.url);
  const cast = readFileSync(new URL('docs/cast.svg', root), 'utf8');
  const said = cast.replace(/<\/text><text[^>]*>/g, ' ').replace(/<[^>]*>/g, ' ');
  for (const shown of ['make the greeting loud when asked', '? Edit src/app.ts +1 -1', 'y yes', 'Undone:'])
    expect(said.replace(/\s+/g, ' ')).toContain(shown);
  expect(cast.length).toBeLessThan(100_000);
  expect(cast).not.toMatch(/href|url\(|@import|<script/);
  expect(readFileSync(new URL('README.md', root), 'utf8').slice(0, 1_500)).toContain('(docs/cast.svg)');
});
