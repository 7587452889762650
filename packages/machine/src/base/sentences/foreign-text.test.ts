import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actingCharacters, hostileNames } from '../fixtures/hostile-names.js';
import { foreignName, foreignSentence, foreignText, isOdd } from './foreign-text.js';

it.each([
  'src/a.ts',
  'npm test && git push',
  'Größe 日本 שלום.txt',
  'it\'s a "quoted" name',
  'with  two blanks',
  '👍🏽.md',
  '',
])('%j is put into a sentence as it is', (text) => {
  expect(foreignText(text)).toBe(text);
  expect(isOdd(text)).toBe(false);
});

it.each(hostileNames)('%s stays on one line, visible and short', (_what, name) => {
  for (const put of [foreignText(name), foreignSentence(`It would read ${name}.`)]) {
    expect(put).not.toMatch(actingCharacters);
    expect(put.length).toBeLessThanOrEqual(4_000);
  }
});

it('foreign text says what stands there, in a form that can be read back', () => {
  expect(foreignText('a\nb\u202e\ufe0f\u{e0041}')).toBe(String.raw`"a\nb\u202e\ufe0f\udb40\udc41"`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const put = foreignName(text);
      expect(put).not.toMatch(actingCharacters);
      expect(isOdd(text) ? JSON.parse(put) : put).toBe(text);
      expect(foreignName(put)).toBe(put);
    }),
  );
});

it('foreign text shows the beginning and the end of a long text', () => {
  const put = foreignText(`begin${'x'.repeat(5_000)}end`);
  expect(put).toMatch(/^begin.*…x.*end$/);
  expect(put.length).toBeLessThanOrEqual(300);
});
