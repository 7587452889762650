import { expect, it } from 'vitest';
import { createLiveTail } from './live-tail.js';

function watched() {
  const told: string[] = [];
  return { told, live: createLiveTail((text) => told.push(text)) };
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 120));

it('a live tail tells the first bytes at once, and the rest soon after', async () => {
  const { told, live } = watched();
  live.add(Buffer.from('one\n'));
  expect(told).toEqual(['one\n']);
  live.add(Buffer.from('two\n'));
  live.add(Buffer.from('three\n'));
  await later();
  expect(told.join('')).toBe('one\ntwo\nthree\n');
  live.end();
  expect(told.join('')).toBe('one\ntwo\nthree\n');
});

it('a live tail tells what is left at the end without waiting', () => {
  const { told, live } = watched();
  for (const text of ['a', 'b', 'c']) live.add(Buffer.from(text));
  live.end();
  expect(told.join('')).toBe('abc');
});

it('a live tail never tells half a character, wherever the borders are', async () => {
  const { told, live } = watched();
  const bytes = Buffer.from('ä€😀ä€😀');
  for (const byte of bytes) {
    live.add(Uint8Array.of(byte));
    if (byte % 5 === 0) await later();
  }
  live.end();
  expect(told.join('')).toBe('ä€😀ä€😀');
  for (const text of told) expect(text).not.toContain('\uFFFD');
});

it('a live tail tells of a flood its latest whole lines, after a line for what was left out', () => {
  const { told, live } = watched();
  const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index} €\n`).join('');
  const bytes = Buffer.from(lines);
  live.add(bytes.subarray(0, 10));
  for (let at = 10; at < bytes.length; at += 65_536) live.add(bytes.subarray(at, at + 65_536));
  live.end();
  const text = told.join('');
  // At most a quarter of each piece is shown, also where every piece comes late.
  expect(text.length).toBeLessThan(bytes.length / 3);
  expect(text).toMatch(/^line 0/);
  expect(text).toMatch(/…\nline \d+ €\n/);
  expect(text.endsWith('line 199998 €\nline 199999 €\n')).toBe(true);
  expect(text).not.toContain('\uFFFD');
});
