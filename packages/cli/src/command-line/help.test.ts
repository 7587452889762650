import { expect, it } from 'vitest';
import { wrapped } from './help.js';

it('the help wraps between words and goes on under the column where the text began', () => {
  const text = 'The same as --approval-mode yolo, which asks about nothing.';
  expect(`  --yolo  ${wrapped(text, 10, 40)}`.split('\n')).toEqual([
    '  --yolo  The same as --approval-mode',
    '          yolo, which asks about',
    '          nothing.',
  ]);
});

it('the help leaves text whole that nobody looks at on a terminal, and words that are longer than a line', () => {
  const text = `short ${'x'.repeat(50)} words`;
  expect(wrapped(text, 10, Number.POSITIVE_INFINITY)).toBe(text);
  expect(wrapped(text, 4, 30).split('\n')).toEqual(['short', `    ${'x'.repeat(50)}`, '    words']);
});
