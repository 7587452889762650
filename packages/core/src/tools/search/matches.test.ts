import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCollector, type Matches } from './matches.js';

interface Hits {
  path: string;
  count: number;
  isBinary: boolean;
}

/** Output of ripgrep for a file with so many matches. */
function messages({ path, count, isBinary }: Hits): string[] {
  const data = { path: { text: path } };
  const match = (line: number) => ({
    type: 'match',
    data: {
      ...data,
      lines: { text: `hit\n` },
      line_number: line,
      absolute_offset: 0,
      submatches: [{ start: 0, end: 3 }],
    },
  });
  return [
    { type: 'begin', data },
    ...Array.from({ length: count }, (_, index) => match(index + 1)),
    { type: 'end', data: { ...data, binary_offset: isBinary ? 7 : null, stats: {} } },
  ].map((message) => JSON.stringify(message));
}

function collect(files: Hits[], limit: number, named = 3): Matches {
  const collector = createCollector({ limit, named, isWanted: (path) => !path.includes('unwanted') });
  for (const record of files.flatMap(messages)) collector.onRecord(record);
  return collector.finish();
}

it('the collection of matches keeps the files first by name and counts all, whatever the order they come in', () => {
  const name = fc.stringMatching(/^[a-z]{1,3}["é]?$/);
  const file = fc.record({ path: name, count: fc.integer({ min: 1, max: 12 }), isBinary: fc.boolean() });
  const files = fc.uniqueArray(file, { selector: ({ path }) => path, minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(files, fc.integer({ min: 1, max: 9 }), (hits, limit) => {
      const found = collect(hits, limit);
      const [text, binary] = [hits.filter((each) => !each.isBinary), hits.filter((each) => each.isBinary)];
      const sorted = text.sort((left, right) => (left.path < right.path ? -1 : 1));
      expect(found).toMatchObject({
        count: hits.reduce((sum, { count }) => sum + count, 0),
        fileCount: hits.length,
        binaryCount: binary.length,
      });
      let left = limit;
      const shown = sorted.findIndex(({ count }) => (left -= count) <= 0);
      const needed = shown === -1 ? sorted.length : shown + 1;
      expect(found.files.map(({ path }) => path)).toEqual(
        sorted.slice(0, needed + 3).map(({ path }) => path),
      );
      for (const each of found.files.slice(0, needed))
        expect(each.kept).toHaveLength(Math.min(each.count, limit));
      const names = binary.map(({ path }) => path).sort();
      expect(found.binary.map(({ path }) => path)).toEqual(names.slice(0, 3));
    }),
    { numRuns: 150 },
  );
});

it('the collection of matches leaves files that are not wanted out of every count', () => {
  const files = [
    { path: 'unwanted', count: 5, isBinary: false },
    { path: 'a', count: 1, isBinary: false },
  ];
  expect(collect(files, 10)).toMatchObject({ count: 1, fileCount: 1, files: [{ path: 'a', count: 1 }] });
});

it('the collection of matches counts a file whose end never came', () => {
  const collector = createCollector({ limit: 5, named: 1, isWanted: () => true });
  for (const record of messages({ path: 'a', count: 2, isBinary: false }).slice(0, -1))
    collector.onRecord(record);
  expect(collector.finish()).toMatchObject({ count: 2, fileCount: 1, searched: null });
});
