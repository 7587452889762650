import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseGitConfig } from './git-programs.js';

const texts = [
  '[core]\nhooksPath = .githooks',
  '[core] hooksPath = .githooks',
  '[CORE]\n\tHooksPath=a b  \n',
  '[core]\nhooksPath = "a # b" ; c\n',
  '[core]\nhooksPath = a\\\nb\n',
  '[core]\nhooksPath = "a\\tb\\"c"\n',
  '# x\n; y\n[core] # z\nhooksPath = x # y\nbare\n',
  '[filter "a.B"]\nclean = run "x y" z\n[includeIf "gitdir:~/w/"]\npath = ../x\n',
  '[a]\r\nb = c\r\n',
  '[alias]\nx = "!f() { ./run.sh; }; f"\n[core]\nhooksPath\n',
  '',
];

it.each(texts)('%j is read as git reads it', (text) => {
  const folder = mkdtempSync(join(tmpdir(), 'git-config-'));
  try {
    writeFileSync(join(folder, 'config'), text);
    const listed = execFileSync('git', ['config', '--file', join(folder, 'config'), '--list', '--null'], {
      encoding: 'utf8',
    });
    const expected = listed
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const end = entry.indexOf('\n');
        return end === -1
          ? { key: entry, value: 'true' }
          : { key: entry.slice(0, end), value: entry.slice(end + 1) };
      });
    expect(parseGitConfig(text)).toEqual(expected);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the reader of git settings reads on after a line that git would not understand', () => {
  expect(parseGitConfig('= x\n[core\n[core]\n!\nhooksPath = a\n')).toEqual([
    { key: 'core.hookspath', value: 'a' },
  ]);
});
