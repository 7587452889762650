import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hunksBetween, withHunks } from './hunks.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

it('each group of changed lines is a part of its own, with three lines around it', async () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  const after = 'A\nb\nc\nd\ne\nf\ng\nnew\nh\n';
  const hunks = (await hunksBetween(bytes(before), bytes(after)))!;
  expect(hunks.map(({ unified }) => unified)).toEqual([
    '@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d',
    '@@ -5,4 +5,5 @@\n e\n f\n g\n+new\n h',
  ]);
  const second = withHunks(bytes(before), bytes(after), [hunks[1]!]);
  expect(Buffer.from(second).toString()).toBe('a\nb\nc\nd\ne\nf\ng\nnew\nh\n');
});

it('a part says where it stands in the old text and in the new one', async () => {
  const before = `a\n${'b\n'.repeat(8)}c\n`;
  const after = `new\nnew\na\n${'b\n'.repeat(8)}C\n`;
  const hunks = (await hunksBetween(bytes(before), bytes(after)))!;
  expect(hunks.map(({ unified }) => unified.split('\n', 1)[0])).toEqual([
    '@@ -1,3 +1,5 @@',
    '@@ -7,4 +9,4 @@',
  ]);
  const [emptied] = (await hunksBetween(bytes('a\n'), bytes('')))!;
  expect(emptied?.unified).toBe('@@ -1 +0,0 @@\n-a');
  const [filled] = (await hunksBetween(bytes(''), bytes('a\n')))!;
  expect(filled?.unified).toBe('@@ -0,0 +1 @@\n+a');
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
