import { expect, it } from 'vitest';
import { holdTerminal, writeOnceFree } from './held-terminal.js';

it('what is written while a question has the terminal comes after it, in order', () => {
  const written: string[] = [];
  const write = (text: string): void => writeOnceFree(() => void written.push(text));
  write('before');
  const [first, second] = [holdTerminal(), holdTerminal()];
  write('one');
  first();
  write('two');
  expect(written).toEqual(['before']);
  second();
  write('after');
  expect(written).toEqual(['before', 'one', 'two', 'after']);
});
