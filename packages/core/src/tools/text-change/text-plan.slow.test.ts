import { expect, test } from 'vitest';
import { openTextTools as open } from './fixtures/text-tools.js';

const file = 'one\ntwo\nthree\nfour\nfive\nsix\n';

test('an edit of a file that changes without end gives up with a conflict', async () => {
  const changing = open({ 'a.txt': file });
  let round = 0;
  changing.beforeCommit = () => void changing.write('a.txt', `${file}round ${round++}\n`);
  expect(await changing.runEdit('a.txt', 'two', 'TWO')).toMatch(/^conflict: .*Nothing was changed/);
  expect(changing.read('a.txt')).toBe(`${file}round ${round - 1}\n`);
});
