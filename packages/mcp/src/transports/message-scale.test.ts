import { expect, it } from 'vitest';
import { createMessageScale } from './message-scale.js';

const weigh = (contentType: string, ...chunks: string[]) => {
  const scale = createMessageScale(contentType);
  return chunks.map((chunk) => scale(Buffer.from(chunk))).map(({ ended, bytes }) => [ended, bytes]);
};

it.each<[string, string[], number[][]]>([
  [
    'whole',
    ['data: a\n\n', 'data: b\n\ndata: c\n\n'],
    [
      [1, 0],
      [2, 0],
    ],
  ],
  ['of several lines', ['event: x\ndata: a\ndata: b\n\n'], [[1, 0]]],
  ['with the line ends of the network', ['data: a\r\n\r\ndata: b'], [[1, 7]]],
  [
    'in pieces',
    ['data', ': a\n', '\ndata: b'],
    [
      [0, 4],
      [0, 8],
      [1, 7],
    ],
  ],
  [
    'in pieces that end in the middle of a line end',
    ['data: a\r\n\r', '\n'],
    [
      [0, 10],
      [1, 0],
    ],
  ],
  ['that say nothing', [':\n\n\n\n'], [[3, 0]]],
])('events %s are counted, and the one that goes on is weighed', (_how, chunks, expected) => {
  expect(weigh('text/event-stream; charset=utf-8', ...chunks)).toEqual(expected);
});

it('anything else is one message, whatever its lines', () => {
  expect(weigh('application/json', '{\n\n', '}\n\n')).toEqual([
    [0, 3],
    [0, 6],
  ]);
});
