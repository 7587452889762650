import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { leftIn, nothingLeft, waitingIn } from './apart/leftovers.js';
import { isConfined } from './confined.js';
import { createMachine, program } from './program.js';
import type { Conversation } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

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
      '1 file changed:',
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

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

async function asked(talk: Conversation, title: string): Promise<void> {
  const isAsked = (): boolean => talk.isAsked() && talk.text().includes(title);
  await talk.until(isAsked, `the question "${title}"`);
}

describe.runIf(canWork)('a conversation apart of an ordinary user', () => {
  const flow = flowsOf('apart, as an ordinary user');

  flow('the offer, a review by parts, the review at the end, apart open, /apart and drop', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const machine = createMachine(
      { 'a.txt': `${numbers.join('\n')}\n`, 'b.txt': 'alpha\n' },
      { isCompiled: false },
    );
    if (isRoot)
      for (const path of [machine.workspace, machine.home, join(machine.workspace, '..')])
        chownSync(path, NOBODY, NOBODY);
    if (isRoot)
      for (const name of ['a.txt', 'b.txt']) chownSync(join(machine.workspace, name), NOBODY, NOBODY);
    const read = (path: string): string => readFileSync(join(machine.workspace, path), 'utf8');
    const open = async (args: string[] = []): Promise<Conversation> => {
      const shell = isRoot ? `exec ${[file, ...before].slice(0, -1).join(' ')} $PROGRAM` : 'exec $PROGRAM';
      const talk = await start({ machine, args, shell, columns: 120, rows: 40 });
      await talk.ready();
      return talk;
    };
    const first = await open();
    first.type("replace 'line 3' with 'LINE 3' in a.txt\r");
    await asked(first, 'w work apart (one review at the end)');
    first.type('w');
    await first.ready();
    await first.say("!sed -i 's/^line 19$/LINE 19/' a.txt; rm b.txt; id -u > id.txt");
    expect(read('a.txt')).toContain('line 3\n');
    first.type('/review\r');
    await asked(first, '1 file deleted, 1 file changed, 1 file created.');
    first.type('s');
    await asked(first, 'Keep the deletion of b.txt? (1 of 3)');
    first.type('n');
    await asked(first, 'Keep a.txt? (2 of 3)');
    first.type('p');
    await asked(first, 'Keep part 1 of 2 of a.txt?');
    first.type('n');
    await asked(first, 'Keep part 2 of 2 of a.txt?');
    first.type('y');
    await asked(first, 'Keep id.txt? (3 of 3)');
    first.type('y');
    await first.see(/Kept: 1 file changed, 1 file created\./);
    await first.ready();
    expect([read('id.txt'), read('a.txt').includes('LINE 19'), read('a.txt').includes('LINE 3')]).toEqual([
      `${isRoot ? NOBODY : process.getuid?.()}\n`,
      true,
      false,
    ]);
    first.type('/quit\r');
    await asked(first, 'leave them waiting');
    first.type('n');
    expect(await first.ended()).toBe(0);
    const [id = ''] = waitingIn(machine);
    const second = await open(['apart', 'open', id]);
    expect(second.text()).toContain('apart.');
    await second.say('/apart');
    expect(second.text()).toContain('This session already works apart.');
    second.type('/review\r');
    await asked(second, '1 file deleted, 1 file changed.');
    second.type('d');
    await second.see('All changes were dropped.');
    await second.ready();
    second.type('/quit\r');
    expect(await second.ended()).toBe(0);
    expect([read('b.txt'), waitingIn(machine), leftIn(machine)]).toEqual(['alpha\n', [], nothingLeft]);
    machine.cleanup();
  });
});
