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

it('what waits is written at the end of the program where a question still has the terminal', () => {
  const before = process.listeners('exit');
  const written: string[] = [];
  const giveBack = holdTerminal();
  writeOnceFree(() => void written.push('a warning'));
  const ours = process.listeners('exit').filter((each) => !before.includes(each));
  for (const atExit of ours) atExit.call(process, 0);
  expect(written).toEqual(['a warning']);
  giveBack();
  expect([written, process.listeners('exit')]).toEqual([['a warning'], before]);
});
