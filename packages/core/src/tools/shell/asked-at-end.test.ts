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
  // As apt, click, pip, terraform, npm, git and sudo end where nothing answers.
  [
    'After this operation, 41 kB of additional disk space will be used.\nDo you want to continue? [Y/n] Abort.\n',
    'Do you want to continue? [Y/n]',
  ],
  ['Drop the table? [y/N]: Aborted!\n', 'Drop the table? [y/N]:'],
  ['Drop the table? [y/N]: \nAborted!\n', 'Drop the table? [y/N]:'],
  [
    'Found existing installation: six 1.16.0\nProceed (Y/n)? ERROR: Exception:\nTraceback (most recent call last):\n  File "base_command.py", line 180, in exc_logging_wrapper\n    status = run_func(*args)\nEOFError: EOF when reading a line\n',
    'Proceed (Y/n)?',
  ],
  [
    "  Only 'yes' will be accepted to approve.\n\n  Enter a value: \n\nError: error asking for approval: EOF\n\n",
    'Enter a value:',
  ],
  [
    'Need to install the following packages:\ncreate-vite@9.0.0\nOk to proceed? (y) npm error canceled\n',
    'Ok to proceed? (y)',
  ],
  [
    "Cloning into 'private'...\nfatal: could not read Username for 'https://github.com': No such device or address\n",
    "Username for 'https://github.com':",
  ],
  [
    'sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required\n',
    'password',
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
  'Building the name: shop\nAborted (core dumped)\n',
  'make: *** [Makefile:3: test] Aborted\n',
  "bash: -c: line 1: unexpected EOF while looking for matching `''\nbash: -c: line 2: syntax error: unexpected end of file\n",
  'Which file?\n  File "a.py", line 3\nSyntaxError: unexpected EOF while parsing\n',
  'test 3 of 9\nOperation cancelled\n',
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

/** Each with the commands that are found in it, of which not all run. */
const perhaps: [string, string[][]][] = [
  ['echo-all; read -p "Name? " n', [['echo-all'], ['read', '-p', 'Name? ', 'n']]],
  [
    'test -f x || read -p "Name? " n; echo ok',
    [
      ['test', '-f', 'x'],
      ['read', '-p', 'Name? ', 'n'],
      ['echo', 'ok'],
    ],
  ],
  [
    'test -f x && read -p "Name? " n',
    [
      ['test', '-f', 'x'],
      ['read', '-p', 'Name? ', 'n'],
    ],
  ],
  [
    'if test -f x; then read -p "Name? " n; fi',
    [
      ['test', '-f', 'x'],
      ['read', '-p', 'Name? ', 'n'],
    ],
  ],
  ['case $1 in a) read -p "Name? " n;; esac', [['read', '-p', 'Name? ', 'n']]],
  ['for each in $all; do read -p "Name? " n; done', [['read', '-p', 'Name? ', 'n']]],
  [
    'ask() { read -p "Name? " n; }; echo ok',
    [
      ['read', '-p', 'Name? ', 'n'],
      ['echo', 'ok'],
    ],
  ],
  [
    'read n && read -p "Name? " m; echo ok',
    [
      ['read', 'n'],
      ['read', '-p', 'Name? ', 'm'],
      ['echo', 'ok'],
    ],
  ],
  [
    'exit 0; read -p "Name? " n',
    [
      ['exit', '0'],
      ['read', '-p', 'Name? ', 'n'],
    ],
  ],
  ['set -e; false; read -p "Name? " n', [['set', '-e'], ['false'], ['read', '-p', 'Name? ', 'n']]],
  ['./setup.sh; read -p "Name? " n', [['./setup.sh'], ['read', '-p', 'Name? ', 'n']]],
  [
    'echo "a; read b"; test -f x || read -p "Name? " n',
    [
      ['echo', 'a; read b'],
      ['test', '-f', 'x'],
      ['read', '-p', 'Name? ', 'n'],
    ],
  ],
  [
    'echo a # ; read\ntest -f x || read -p "Name? " n',
    [
      ['echo', 'a'],
      ['test', '-f', 'x'],
      ['read', '-p', 'Name? ', 'n'],
    ],
  ],
];

it.each(perhaps)('%s is not said to ask: its read may not have run', (command, commands) => {
  expect(askedByRead(command, commands)).toBeNull();
});

it.each([
  'echo "Hello; you"; cd src; read -p "Name? " n',
  'printf \'%s\' a\n read -p "Name? " n',
  'if ! read -p "Name? " n; then echo none; fi',
  'while read -p "Name? " n; do echo "$n"; done',
  "IFS= read -rp 'Name? ' n",
])('%s asks: nothing before its read can keep it from running', (command) => {
  expect(askedByRead(command, [['read', '-p', 'Name? ', 'n']])).toBe('Name?');
});

it('a line of a thousand words before a read is looked at once', () => {
  const command = `${'echo "a" '.repeat(900)}& read -p "Name? " n`;
  expect(askedByRead(command, [['read', '-p', 'Name? ', 'n']])).toBeNull();
});
