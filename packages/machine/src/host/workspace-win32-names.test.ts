import { expect, test } from 'vitest';
import { problemOfWindowsName } from './workspace.js';

test.each([
  ['NUL', 'is the name of a device on Windows'],
  ['con.txt', 'is the name of a device on Windows'],
  ['COM¹', 'is the name of a device on Windows'],
  ['lpt9.tar.gz', 'is the name of a device on Windows'],
  ['file.txt:stream', 'contains a character that Windows does not allow in names'],
  ['file.txt::$DATA', 'contains a character that Windows does not allow in names'],
  ['a?', 'contains a character that Windows does not allow in names'],
  ['line\nbreak', 'contains a character that Windows does not allow in names'],
  ['.git.', 'ends with a dot or a blank, which Windows drops'],
  ['.git ', 'ends with a dot or a blank, which Windows drops'],
  ['console.ts', null],
  ['nullable', null],
  ['com10', null],
  ['.git', null],
  ['a b', null],
])('the name %j is judged for Windows: %s', (name, problem) => {
  expect(problemOfWindowsName(name)).toBe(problem);
});
