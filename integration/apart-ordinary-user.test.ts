import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { program } from './program.js';

const [file = '', ...before] =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--', 'bash']
    : ['bash'];
const canRead = spawnSync(file, [...before, '-c', `test -r '${program}'`]).status === 0;
const canWork = canRead && isConfined && (await canStage());
if (!canWork)
  console.log('evidence: no ordinary user, sandbox or overlay here: apart was not tried as an ordinary user');

const SCRIPT = `
mkdir home work && cd work && echo one > a.txt && echo two > b.txt
toolwright() { "$NODE" "$PROGRAM" "$@"; }
toolwright -p "replace 'one' with 'ONE' in a.txt" --apart --provider offline > /dev/null
cat a.txt
ID=$(ls "$HOME/.toolwright/apart")
toolwright apart show "$ID" | head -n 2
toolwright apart keep "$ID" --yes
cat a.txt
toolwright -p "replace 'two' with 'TWO' in b.txt" --apart --provider offline > /dev/null
toolwright apart drop "$(ls "$HOME/.toolwright/apart")" --yes > /dev/null
cat b.txt
ls "$HOME/.toolwright/apart" | wc -l
`;

it.runIf(canWork)('an ordinary user shows, keeps and drops what a session apart changed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apart-user-'));
  chmodSync(folder, 0o777);
  try {
    const { PATH = '' } = process.env;
    const env = {
      PATH,
      HOME: join(folder, 'home'),
      LANG: 'C.UTF-8',
      NODE: process.execPath,
      PROGRAM: program,
    };
    const ended = spawnSync(file, [...before, '-c', SCRIPT], { cwd: folder, env, encoding: 'utf8' });
    expect(ended.stdout.split('\n'), ended.stderr).toEqual([
      'one',
      'It modifies 1:',
      'modify a.txt (+1 -1)',
      'ONE',
      'two',
      '0',
      '',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
