import { expect, it } from 'vitest';
import { createMessageLines } from './message-lines.js';

/** Gives the messages heard when the bytes come in pieces of a size. */
function heard(text: string, { size = Number.POSITIVE_INFINITY, most = 1_000 } = {}): unknown[] {
  const all: unknown[] = [];
  const lines = createMessageLines(most, {
    onMessage: (message) => void all.push(message),
    onProblem: (problem) => void all.push(problem),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length))
    lines.add(bytes.subarray(at, at + size));
  lines.end();
  return all;
}

it.each([1, 2, 3, 7, Number.POSITIVE_INFINITY])(
  'the reader of message lines takes a message from each line, in pieces of %s bytes',
  (size) => {
    const text = '{"a":"käse"}\n\n  [1] \r\nnot json\n{"b":"🐙"}';
    expect(heard(text, { size })).toEqual([{ a: 'käse' }, [1], 'no JSON', { b: '🐙' }]);
  },
);

it.each([1, 5, 100])(
  'the reader of message lines says once that a line is too long, and goes on with the next, in pieces of %s bytes',
  (size) => {
    expect(
      heard(`${'x'.repeat(50)}\n{}\n${'y'.repeat(21)}\n"${'z'.repeat(18)}"\n`, { size, most: 20 }),
    ).toEqual(['too long', {}, 'too long', 'z'.repeat(18)]);
  },
);
