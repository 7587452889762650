import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareSequences, diffFile } from './diff.js';

async function unified(before: string | null, after: string | null): Promise<string[]> {
  return (await diffFile({ path: 'src/a.ts', before, after })).unified.split('\n');
}

describe('diffFile', () => {
  test('shows a changed line with three lines around it and counts both sides', async () => {
    const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
    const entry = await diffFile({ path: 'src/a.ts', before, after: before.replace('five', 'FIVE') });
    expect(entry).toEqual({
      path: 'src/a.ts',
      change: 'modify',
      unified: [
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -2,7 +2,7 @@',
        ' two',
        ' three',
        ' four',
        '-five',
        '+FIVE',
        ' six',
        ' seven',
        ' eight',
        '',
      ].join('\n'),
      added: 1,
      removed: 1,
    });
  });

  test('a new file is compared with nothing', async () => {
    expect(await unified(null, 'a\nb\n')).toEqual([
      '--- /dev/null',
      '+++ b/src/a.ts',
      '@@ -0,0 +1,2 @@',
      '+a',
      '+b',
      '',
    ]);
  });

  test('a deleted file is compared with nothing', async () => {
    expect(await unified('a\n', null)).toEqual([
      '--- a/src/a.ts',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-a',
      '',
    ]);
  });

  test('changes far apart get hunks of their own', async () => {
    const before = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');
    const after = before.replace('line 3\n', '').replace('line 33\n', 'line 33\nnew\n');
    const headers = (await unified(before, after)).filter((line) => line.startsWith('@@'));
    expect(headers).toEqual(['@@ -1,7 +1,6 @@', '@@ -32,6 +31,7 @@']);
  });

  test('a missing last newline is reported', async () => {
    expect(await unified('a\nb', 'a\nb\n')).toEqual([
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -1,2 +1,2 @@',
      ' a',
      '-b',
      '\\ No newline at end of file',
      '+b',
      '',
    ]);
  });

  test('carriage returns stay out of sight in a file where every line has one', async () => {
    expect((await unified('a\r\nb\r\n', 'a\r\nc\r\n')).slice(3)).toEqual([' a', '-b', '+c', '']);
  });

  test('a change of line endings is visible', async () => {
    expect((await unified('a\r\nb\r\n', 'a\r\nb\n')).slice(3)).toEqual([' a␍', '-b␍', '+b', '']);
  });

  test('binary content gets one line', async () => {
    const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 1, 2, 3);
    expect(await diffFile({ path: 'a.png', before: null, after: bytes })).toEqual({
      path: 'a.png',
      change: 'create',
      unified: 'Binary content: nothing before, 9 bytes after.',
      added: 0,
      removed: 0,
    });
  });

  test('bytes in another encoding are shown as text', async () => {
    const entry = await diffFile({
      path: 'a',
      before: Buffer.from('caf\xe9\n', 'latin1'),
      after: Buffer.from('th\xe9\n', 'latin1'),
    });
    expect(entry.unified).toContain('-café\n+thé\n');
  });

  test('a huge difference is counted, not shown', async () => {
    const after = Array.from({ length: 30_000 }, (_, index) => `row ${index}\n`).join('');
    expect(await diffFile({ path: 'a', before: '', after })).toMatchObject({
      unified: 'Too large to show: 30,000 lines added, 0 lines removed.',
      added: 30_000,
    });
  });

  test('a very long line is cut with a count', async () => {
    const line = (await unified('x', 'y'.repeat(2_500))).find((text) => text.startsWith('+y'));
    expect(line).toBe(`+${'y'.repeat(1_999)}… (501 characters more)`);
  });

  test('an empty new file and an unchanged text say so', async () => {
    expect(await unified(null, '')).toEqual(['Empty file.']);
    expect(await unified('a', 'a')).toEqual(['No change in the text.']);
  });

  test('applying the diff gives the new text', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        const { unified: patch } = await diffFile({ path: 'a', before, after });
        expect(applyPatch(before, patch)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });
});

test('compared sequences differ in the ranges and nowhere else', async () => {
  const sequence = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sequence, sequence, async (before, after) => {
      const ranges = await compareSequences(before, after);
      let [at, newAt] = [0, 0];
      for (const range of ranges) {
        expect(after.slice(newAt, range.newStart)).toEqual(before.slice(at, range.start));
        expect(range.end - range.start + range.newEnd - range.newStart).toBeGreaterThan(0);
        [at, newAt] = [range.end, range.newEnd];
      }
      expect(after.slice(newAt)).toEqual(before.slice(at));
    }),
    { numRuns: 300 },
  );
});

test('past the most edits that are looked for, the differing middle is one change', async () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `a${(index * 7) % 5_000}`);
  const after = Array.from({ length: 5_000 }, (_, index) => `a${(index * 11) % 5_000}`);
  const [first, ...others] = await compareSequences(['same', ...before], ['same', ...after], {
    mostEdits: 100,
  });
  expect(others).toEqual([]);
  expect(first).toMatchObject({ end: 5_001, newEnd: 5_001 });
});

test('a machine that stalls between two steps finds the same changes', async () => {
  const { now } = Date;
  let time = now();
  // Each look at the clock finds an hour gone.
  Date.now = () => (time += 3_600_000);
  try {
    expect(await compareSequences(['a', 'b', 'c', 'd'], ['x', 'b', 'c', 'y'])).toHaveLength(2);
  } finally {
    Date.now = now;
  }
});
