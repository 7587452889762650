import { describe, expect, it } from 'vitest';
import { analyseCommand } from '../analyse.js';
import { fullScreenProgram } from './full-screen.js';

async function found(command: string): Promise<string | undefined> {
  const { commands } = await analyseCommand(command, { directory: '/w', roots: ['/w'], home: '/home/me' });
  return fullScreenProgram(commands ?? [])?.name;
}

describe('a program that can do nothing without a terminal', () => {
  it.each([
    ['vim notes.txt', 'vim'],
    ['/usr/bin/vi +5 notes.txt', 'vi'],
    ['nano', 'nano'],
    ['cd src && emacs -nw a.ts', 'emacs'],
    ['sudo nano /etc/hosts', 'nano'],
    ['top', 'top'],
    ['top -d 1', 'top'],
    ['ls | xargs vim', 'vim'],
    ['vim "$FILE"', 'vim'],
  ])('is found in %s', async (command, name) => {
    expect(await found(command)).toBe(name);
  });

  it.each([
    'vim -es -c "%s/a/b/" -c wq notes.txt',
    'vim +wq notes.txt',
    'vim --version',
    'emacs --batch -f batch-byte-compile a.el',
    'top -b -n 1',
    'top -bn1',
    'less notes.txt',
    'which vim',
    'command -v vim',
    'git commit --amend',
  ])('is not found in %s', async (command) => {
    expect(await found(command)).toBeUndefined();
  });
});
