import { expect, it } from 'vitest';
import { createPageCache } from './guarded-http.js';

function cache() {
  let time = 0;
  const made = createPageCache<string>({ now: () => time, maxAgeMs: 100, maxBytes: 10 });
  return { ...made, wait: (ms: number) => (time += ms) };
}

it('the cache of pages keeps a page until it is too old', () => {
  const pages = cache();
  pages.set('a', 'A', 3);
  pages.wait(100);
  expect(pages.get('a')).toBe('A');
  pages.wait(1);
  expect(pages.get('a')).toBeUndefined();
});

it('the cache of pages lets the least recently used go first', () => {
  const pages = cache();
  pages.set('a', 'A', 4);
  pages.set('b', 'B', 4);
  pages.get('a');
  pages.set('c', 'C', 4);
  expect([pages.get('a'), pages.get('b'), pages.get('c')]).toEqual(['A', undefined, 'C']);
});

it('the cache of pages counts a page once however often it is kept, and never keeps one that is too large', () => {
  const pages = cache();
  for (let round = 0; round < 5; round++) pages.set('a', `A${round}`, 6);
  pages.set('b', 'B', 4);
  expect([pages.get('a'), pages.get('b')]).toEqual(['A4', 'B']);
  pages.set('huge', 'H', 11);
  expect(pages.get('huge')).toBeUndefined();
  expect(pages.get('b')).toBe('B');
});
