import { expect, it } from 'vitest';
import { askedAtEnd, askedByRead } from './asked-at-end.js';

const prompts: [output: string, prompt: string][] = [
  ["rm: remove regular file 'x'? ", "rm: remove regular file 'x'?"],
  ['Need to get 3 kB.\nDo you want to continue? [Y/n] ', 'Do you want to continue? [Y/n]'],
  ['package name: (shop) ', 'package name: (shop)'],
  ['Password: ', 'Password:'],
  ["Username for 'https://example.org': ", "Username for 'https://example.org':"],
  ['Overwrite (y/n)?', 'Overwrite (y/n)?'],
  [
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])?',
  ],
  ['Enter passphrase (empty for no passphrase): ', 'Enter passphrase (empty for no passphrase):'],
  ['Press any key', 'Press any key'],
  ['1) one\n2) two\nYour choice: ', 'Your choice:'],
  [
    'How many? Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nEOFError: EOF when reading a line\n',
    'How many?',
  ],
];

it.each(prompts)('%j ends in a question', (output, prompt) => {
  expect(askedAtEnd(output)).toBe(prompt);
});

it.each([
  '',
  'done',
  'Is this fine?\n',
  'Password:\n',
  'src/a.ts:3: const name: string = 1',
  '{"name":"shop"}',
  'total: 12',
  'https://example.org/a',
  'warning: unused option',
  'EOFError: EOF when reading a line\n',
  '100%',
])('%j does not', (output) => {
  expect(askedAtEnd(output)).toBeNull();
});

it.each<[string, string[][], string | null]>([
  [
    'read -p "Go on? [y/N] " x || echo no',
    [
      ['read', '-p', 'Go on? [y/N] ', 'x'],
      ['echo', 'no'],
    ],
    'Go on? [y/N]',
  ],
  ['read -rsp Password: x', [['read', '-rsp', 'Password:', 'x']], 'Password:'],
  ['read "-pName: " x', [['read', '-pName: ', 'x']], 'Name:'],
  ['read x', [['read', 'x']], null],
  [
    'echo y | read -p "Go on?" x',
    [
      ['echo', 'y'],
      ['read', '-p', 'Go on?', 'x'],
    ],
    null,
  ],
  ['read -p "Go on?" x < answers', [['read', '-p', 'Go on?', 'x']], null],
  ['grep -p x', [['grep', '-p', 'x']], null],
])('%s asks what its read shows at a terminal only', (command, commands, prompt) => {
  expect(askedByRead(command, commands)).toBe(prompt);
});
