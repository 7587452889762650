import { expect, it } from 'vitest';
import { parseMode } from '../platform/processes/linux-terminal-wait.js';
import { isShown, promptOf } from './blocked.js';

it.each([
  ['Password: ', 'Password:'],
  ['first line\r\n\x1b[1mProceed?\x1b[0m [Y/n] ', 'Proceed? [Y/n]'],
  ['\x1b]0;title\x07name> ', 'name>'],
  ['10%\r50%\r100%', '100%'],
  ['What is your name?\r\n', 'What is your name?'],
  ['\x1b[?25l\x1b(B? Pick one › ', '? Pick one ›'],
  ['', ''],
])('%j asks %j', (text, prompt) => {
  expect(promptOf(text)).toBe(prompt);
});

it('the terminal cuts a prompt that is too long at its beginning', () => {
  expect(promptOf(`${'x'.repeat(9_000)}end?`)).toHaveLength(500);
  expect(promptOf(`${'x'.repeat(9_000)}end?`)).toMatch(/end\?$/);
});

it.each([
  [{ echo: true, lines: true }, 'Password:', true],
  [{ echo: false, lines: true }, 'Continue?', false],
  [{ echo: false, lines: false }, 'Package name:', true],
  [{ echo: false, lines: false }, 'Enter passphrase for key:', false],
  [{ echo: false, lines: false }, 'npm one-time code:', false],
  [null, 'Password:', false],
  [null, 'Name:', true],
])('with mode %j and the words %j the answer is shown: %s', (mode, prompt, expected) => {
  expect(isShown(mode, prompt)).toBe(expected);
});

it('the watch on a terminal reads the mode of a terminal as stty prints it', () => {
  expect(parseMode('speed 38400 baud; line = 0;\n-brkint icanon iexten -echo echoe echok')).toEqual({
    echo: false,
    lines: true,
  });
  expect(parseMode('isig -icanon iexten echo echoe')).toEqual({ echo: true, lines: false });
  expect(parseMode('')).toBeNull();
});
