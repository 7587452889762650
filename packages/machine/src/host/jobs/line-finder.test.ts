import { expect, it } from 'vitest';
import { createLineFinder } from './line-finder.js';

it.each([
  [['ready in 5 ms\n'], 'ready in', 'ready in 5 ms'],
  [['Listening on ', 'port 80', '80\nnext'], 'port 8080', 'Listening on port 8080'],
  [
    ['  \x1b[32mLocal\x1b[0m: http://localhost:\x1b[1m5173\x1b[0m/\r\n'],
    'localhost:5173',
    'Local: http://localhost:5173/',
  ],
  [['one\n', 'two\n'], 'onetwo', null],
])('in %j finds %j', (pieces, wanted, expected) => {
  const find = createLineFinder(wanted);
  const found = pieces.map((piece) => find(Buffer.from(piece))).find((line) => line !== null) ?? null;
  expect(found).toEqual(expected);
});

it('forgets the beginning of a line that does not end', () => {
  const find = createLineFinder('xready');
  expect(find(Buffer.from('x'.repeat(20_000)))).toBeNull();
  expect(find(Buffer.from('ready\n'))).toHaveLength(8_192);
});
