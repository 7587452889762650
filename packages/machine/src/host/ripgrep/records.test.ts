import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decode, splitRecords } from './records.js';

interface Collected {
  records: string[];
  long: [beginning: number, length: number][];
}

function collect(chunks: Buffer[], maxBytes = 1000): Collected {
  const collected: Collected = { records: [], long: [] };
  const take = splitRecords({
    separator: '\n',
    maxBytes,
    onRecord: (record) => void collected.records.push(record),
    onLongRecord: (beginning, length) => void collected.long.push([beginning.length, length]),
  });
  for (const chunk of chunks) take(chunk);
  take(null);
  return collected;
}

it('the splitter of records gives the same records however the bytes are cut into chunks', () => {
  const bytes = fc.array(fc.constantFrom('a', 'b', '\n', '\0', '\u00e9', '\u00c3', '\u00a9'), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(bytes, fc.array(fc.nat({ max: 60 }), { maxLength: 10 }), (letters, cuts) => {
      const whole = Buffer.from(letters.join(''), 'latin1');
      const borders = [
        0,
        ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
        whole.length,
      ];
      const chunks = borders.slice(1).map((border, index) => whole.subarray(borders[index], border));
      const expected = whole
        .toString('latin1')
        .split('\n')
        .map((record) => decode(Buffer.from(record, 'latin1')));
      if (expected.at(-1) === '') expected.pop();
      expect(collect(chunks).records).toEqual(expected);
    }),
  );
});

it('the splitter of records keeps only the beginning of a record that is too long, and goes on after it', () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  const chunks = [Buffer.from('a\n'), ...Array<Buffer>(20).fill(megabyte), Buffer.from('\nb\n')];
  expect(collect(chunks)).toEqual({ records: ['a', 'b'], long: [[8192, 20 * 1024 * 1024]] });
});

it('the splitter of records tells a record at the limit from one over it, in one chunk and in two', () => {
  expect(collect([Buffer.from('12345\n123456\n')], 5)).toEqual({ records: ['12345'], long: [[6, 6]] });
  const halves = [Buffer.from('12'), Buffer.from('345\n123'), Buffer.from('456\n')];
  expect(collect(halves, 5)).toEqual({ records: ['12345'], long: [[6, 6]] });
});

it('the reader of records answers false as soon as a record was one too many', () => {
  const seen: string[] = [];
  const take = splitRecords({
    separator: '\0',
    maxBytes: 10,
    onRecord: (record) => seen.push(record) < 2,
  });
  expect(take(Buffer.from('a\0b\0c\0'))).toBe(false);
  expect(seen).toEqual(['a', 'b']);
});

it('the splitter of records writes bytes that are not UTF-8 as escapes and leaves the others alone', () => {
  const bytes = Buffer.concat([Buffer.from('é😀a'), Buffer.from([0xe9, 0xf0, 0x9f]), Buffer.from('z\ufffd')]);
  expect(decode(bytes)).toBe('é😀a\\xe9\\xf0\\x9fz\ufffd');
});
