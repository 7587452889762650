import { expect, it } from 'vitest';
import { isPlainlyRead } from './analyse.js';

it.each([
  'true',
  'ls -la src/app.ts',
  'git status && git diff --stat HEAD~1'.replace('~1', '^'),
  "grep -rn 'a (b) $c `d`' src | head -20",
  'grep -rn "not found; really" . || wc -l a.txt; pwd',
  'npm test -- --run packages/core/src/a.test.ts',
  'A=1 env',
])('%s can be read in one way only', (line) => {
  expect(isPlainlyRead(line)).toBe(true);
});

it.each([
  '',
  ' ls',
  'echo $HOME',
  'echo "$HOME"',
  'echo "a\\"b"',
  'echo `id`',
  'cat <a',
  'cat > b',
  'sleep 1 &',
  'a & b',
  'a |& b',
  '(ls)',
  '{ ls; }',
  'echo {a,b}',
  'ls *.ts',
  'ls ~',
  'echo a#b',
  "echo 'open",
  "echo $'a'",
  'echo "a!b"',
  'ls\npwd',
  "echo 'a\nb'",
  'ls;',
  'ls ; ; pwd',
  '&& ls',
  '-x ls',
  'time ls',
  'if true; then ls; fi',
  'ls; done',
  '! ls',
  '[ -f a ]',
  'echo é',
  'echo \x01',
])('%j is left to bash', (line) => {
  expect(isPlainlyRead(line)).toBe(false);
});

it('the check for a plain line is quick with a line made to be slow', () => {
  expect(isPlainlyRead(`${'a '.repeat(50_000)}$`)).toBe(false);
  expect(isPlainlyRead(`${'a| '.repeat(50_000)}$`)).toBe(false);
  expect(isPlainlyRead(`${"'a'".repeat(50_000)}'`)).toBe(false);
});
