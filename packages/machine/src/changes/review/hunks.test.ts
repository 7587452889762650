import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hunksBetween, withHunks } from './hunks.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

it('each group of changed lines is a part of its own, with three lines around it', async () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  const after = 'A\nb\nc\nd\ne\nf\ng\nnew\nh\n';
  const hunks = (await hunksBetween(bytes(before), bytes(after)))!;
  expect(hunks.map(({ unified }) => unified)).toEqual([
    '@@ line 1 @@\n-a\n+A\n b\n c\n d',
    '@@ line 8 @@\n e\n f\n g\n+new\n h',
  ]);
  const second = withHunks(bytes(before), bytes(after), [hunks[1]!]);
  expect(Buffer.from(second).toString()).toBe('a\nb\nc\nd\ne\nf\ng\nnew\nh\n');
});

it('bytes that are no UTF-8 and line ends of Windows come back as they were', async () => {
  const before = Buffer.from([0xff, 0x0d, 0x0a, 0x61, 0x0a, 0x62, 0x0a, 0xfe]);
  const after = Buffer.from([0xff, 0x0d, 0x0a, 0x61, 0x0a, 0x63, 0x0a, 0xfe]);
  const hunks = (await hunksBetween(before, after))!;
  expect(withHunks(before, after, hunks)).toEqual(after);
  expect(withHunks(before, after, [])).toEqual(before);
});

it('a file that is not text has no parts', async () => {
  expect(await hunksBetween(Buffer.from([1, 0, 2]), bytes('a\n'))).toBeNull();
});

it('all parts together make the new text, and none the old one', async () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', 'ä\n', ''), { maxLength: 12 })
    .map((lines) => lines.join(''));
  await fc.assert(
    fc.asyncProperty(text, text, fc.boolean(), async (before, end, isOpen) => {
      const after = isOpen ? `${end}x` : end;
      const hunks = (await hunksBetween(bytes(before), bytes(after)))!;
      const made = (chosen: typeof hunks) =>
        Buffer.from(withHunks(bytes(before), bytes(after), chosen)).toString();
      expect([made(hunks), made([])]).toEqual([after, before]);
    }),
  );
});
