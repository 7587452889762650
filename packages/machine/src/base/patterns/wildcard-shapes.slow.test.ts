import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileWildcard } from './wildcard.js';

const options = { caseSensitive: true, brokenSet: 'nothing' } as const;

/** The meaning of a pattern as directly as it can be written down: try everything. */
function fitsSlowly(pattern: string, text: string): boolean {
  const folders = /^\*\*+\//.exec(pattern)?.[0];
  if (folders !== undefined) {
    const rest = pattern.slice(folders.length);
    const borders = [...text].flatMap((character, index) => (character === '/' ? [index + 1] : []));
    return [0, ...borders].some((start) => fitsSlowly(rest, text.slice(start)));
  }
  return fitsPlace(pattern, text);
}

function fitsPlace(pattern: string, text: string): boolean {
  if (/^\*\*+$/.test(pattern)) return true;
  return fitsFrom(pattern, text);
}

function fitsFrom(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const [first = '', rest] = [pattern[0], pattern.slice(1)];
  if (first === '/' && text[0] === '/') return fitsSlowly(rest, text.slice(1));
  if (first === '*') {
    const end = text.indexOf('/') === -1 ? text.length : text.indexOf('/');
    return Array.from({ length: end + 1 }, (_, taken) => taken).some((taken) =>
      fitsFrom(rest, text.slice(taken)),
    );
  }
  const taken = first === '?' ? text !== '' && text[0] !== '/' : text[0] === first && first !== '/';
  return taken && fitsFrom(rest, text.slice(1));
}

it('every shape of pattern means what trying everything gives', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '*', '?', '/', '**/', '/**', 'a*'), { maxLength: 6 });
  const text = fc.array(fc.constantFrom('a', 'b', '/', 'ab'), { maxLength: 7 });
  fc.assert(
    fc.property(pattern, text, (pieces, letters) => {
      const [source, path] = [pieces.join(''), letters.join('')];
      expect(compileWildcard(source, options).fits(path)).toBe(fitsSlowly(source, path));
    }),
    { numRuns: 20_000 },
  );
});
