import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { drawTry } = await import(new URL('./picture.mjs', import.meta.url).href);

it('shows the recorded example of try in the picture at the top of the README; node scripts/picture.mjs draws it anew', () => {
  const root = new URL('../', import.meta.url);
  expect(readFileSync(new URL('docs/try.svg', root), 'utf8')).toBe(drawTry());
  expect(readFileSync(new URL('README.md', root), 'utf8').slice(0, 1_500)).toContain('(docs/try.svg)');
});
