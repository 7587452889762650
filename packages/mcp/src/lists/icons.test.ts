import { expect, it } from 'vitest';
import { readIcons } from './icons.js';

const icon = (src: string) => ({ src, mimeType: 'image/png', sizes: ['48x48'] });

it.each([
  ['https://a.test/icon.png', true],
  ['data:image/png;base64,AAAA', true],
  ['http://a.test/icon.png', false],
  ['file:///etc/passwd', false],
  ['javascript:alert(1)', false],
  ['data:text/html;base64,AAAA', false],
  [`https://a.test/${'x'.repeat(20_000)}`, false],
])('the icon at %.40s is kept: %s', (src, isKept) => {
  expect(readIcons([icon(src)])).toEqual(isKept ? [icon(src)] : undefined);
});

it('the list of icons keeps a few, and of each what can be used', () => {
  const odd = { src: 'https://a.test/i', mimeType: 3, sizes: ['any', 'huge', 7] };
  expect(readIcons([odd, null, 'icon'])).toEqual([{ src: 'https://a.test/i', mimeType: '', sizes: ['any'] }]);
  expect(readIcons(Array(50).fill(icon('https://a.test/i')))).toHaveLength(8);
  expect(readIcons('none')).toBeUndefined();
});
