import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { createMachine, type Machine } from './program.js';
import { flowsOf, start } from './terminal/flows.js';

const canTry = isConfined && (await canStage());
if (!canTry) console.log('evidence: no sandbox or no overlay here: toolwright try was not tried');

const open: Machine[] = [];
afterEach(() => {
  for (const machine of open.splice(0)) machine.cleanup();
});

function machineWith(files: Record<string, string>): Machine {
  const machine = createMachine(files);
  open.push(machine);
  return machine;
}

const at = (machine: Machine, path: string): string | null =>
  existsSync(join(machine.workspace, path)) ? readFileSync(join(machine.workspace, path), 'utf8') : null;

describe.runIf(canTry)('toolwright try without a terminal', () => {
  it('shows the changes, drops them, says so, and exits with the status of the command', async () => {
    const machine = machineWith({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const ended = await machine.run(['try', 'rm b.txt; echo ONE > a.txt; echo out; echo err >&2; exit 7']);
    expect([ended.code, ended.stdout]).toEqual([7, 'out\n']);
    expect(ended.stderr).toMatch(
      /^err\ntoolwright: What the command did: 1 file deleted, 1 file changed\ndelete b\.txt \(\+0 -1\)\n/,
    );
    expect(ended.stderr).toMatch(
      /The changes were dropped: there is no terminal to ask at\. --keep keeps them\.\n$/,
    );
    expect([at(machine, 'a.txt'), at(machine, 'b.txt')]).toEqual(['one\n', 'two\n']);
  });

  it('--keep keeps everything as one change, which undo takes back', async () => {
    const machine = machineWith({ 'a.txt': 'one\n' });
    const kept = await machine.run(
      ['try', '--keep', '--', 'sh', '-c', 'cat > a.txt; mkdir d; echo x > "d/odd name"'],
      {
        input: 'from standard input\n',
      },
    );
    expect(kept.code).toBe(0);
    expect(kept.stderr).toMatch(
      /Kept: 1 file changed, 1 file and 1 folder created\. To undo it: toolwright undo \w+\n$/,
    );
    expect([at(machine, 'a.txt'), at(machine, 'd/odd name')]).toEqual(['from standard input\n', 'x\n']);
    expect((await machine.run(['undo', '--list'])).stdout).toContain("try: sh -c 'cat > a.txt;");
    await machine.run(['undo']);
    expect([at(machine, 'a.txt'), at(machine, 'd')]).toEqual(['one\n', null]);
  });

  it('--keep refuses protected changes and those that other programs run later, keeps nothing and exits with 1', async () => {
    const machine = machineWith({ 'a.txt': 'one\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    const work = 'echo x > .npmrc; mkdir .toolwright; echo {} > .toolwright/settings.json; mkdir .git/hooks';
    const ended = await machine.run([
      'try',
      '--keep',
      `${work}; echo x > .git/hooks/pre-commit; echo 2 > a.txt`,
    ]);
    expect(ended.code).toBe(1);
    for (const path of ['.npmrc', '.toolwright/settings.json', '.git/hooks/pre-commit'])
      expect(ended.stderr).toContain(`toolwright: ${path}: protected: `);
    expect(ended.stderr).toContain('Nothing was kept, because these changes need review.');
    expect([at(machine, 'a.txt'), at(machine, '.npmrc'), at(machine, '.toolwright')]).toEqual([
      'one\n',
      null,
      null,
    ]);
  });

  it('--keep keeps nothing when somebody changed the same lines meanwhile, and exits with 1', async () => {
    const machine = machineWith({ 'a.txt': 'one\n', 'b.txt': 'two\n', ready: '' });
    const wait = 'until test -s ready; do sleep 0.05; done';
    const ended = await machine.run(
      ['try', '--keep', `echo mine > a.txt; echo mine > b.txt; echo begun; ${wait}`],
      {
        onOutput() {
          machine.write('a.txt', 'theirs\n');
          machine.write('ready', 'yes');
        },
      },
    );
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Something else changed a.txt while'),
    });
    expect([at(machine, 'a.txt'), at(machine, 'b.txt')]).toEqual(['theirs\n', 'two\n']);
  });

  it('--json prints the changes for a script, and the output of the command goes to standard error', async () => {
    const machine = machineWith({ 'a.txt': 'one\n' });
    const ended = await machine.run(['try', '--json', '--drop', 'echo out; echo two >> a.txt']);
    const { changes, kept, exitCode } = JSON.parse(ended.stdout) as {
      changes: unknown[];
      kept: null;
      exitCode: number;
    };
    expect([changes.length, kept, exitCode]).toEqual([1, null, 0]);
    expect(changes[0]).toMatchObject({
      path: join(machine.workspace, 'a.txt'),
      change: 'modify',
      added: 1,
      removed: 0,
    });
    expect(ended.stderr).toMatch(/^out\n/);
  });

  it('the command reaches neither the network nor files outside the folder', async () => {
    const machine = machineWith({});
    const outside = join(machine.home, 'outside.txt');
    const ended = await machine.run(['try', '--keep', `echo x > ${outside}; echo hi > /dev/tcp/127.0.0.1/9`]);
    expect(ended.code).not.toBe(0);
    expect(existsSync(outside)).toBe(false);
  });

  it('a command that changes nothing is said to have changed nothing', async () => {
    const ended = await machineWith({}).run(['try', 'true']);
    expect([ended.code, ended.stderr]).toEqual([
      0,
      'toolwright: The command ended with exit code 0 and changed no files here.\n',
    ]);
  });

  it('a signal ends the command with all it started, and nothing is kept', async () => {
    const machine = machineWith({});
    const ended = await machine.run(['try', '--keep', 'echo x > made; echo begun; sleep 300'], {
      onStart: (kill) => void (send = kill),
      onOutput: () => send('SIGINT'),
    });
    expect([ended.code, at(machine, 'made')]).toEqual([130, null]);
    expect(ended.stderr).toContain('The command was cancelled; what it had changed so far was dropped.');
  });

  it('a signal before the command has begun cancels as well', async () => {
    const machine = machineWith({});
    const ended = await machine.run(['try', 'echo x > made; sleep 300'], {
      onStart(kill) {
        // Made when signals are heard already, and before there is a copy to run on.
        const stage = join(machine.state, 'stage');
        const looking = setInterval(() => {
          if (!existsSync(stage)) return;
          clearInterval(looking);
          kill('SIGINT');
        }, 1);
      },
    });
    expect([ended.code, at(machine, 'made')]).toEqual([130, null]);
    expect(ended.stderr).not.toContain('Internal error');
  });
  let send = (_: NodeJS.Signals): void => undefined;
});

it('try without a command, and with flags that exclude each other, is a mistake', async () => {
  const machine = machineWith({});
  expect(await machine.run(['try'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('try needs a command'),
  });
  expect(await machine.run(['try', '--keep', '--drop', 'ls'])).toMatchObject({
    code: 2,
    stderr: 'toolwright: --keep and --drop exclude each other.\n',
  });
});

const flow = flowsOf('try');

if (canTry)
  flow('the user keeps one file, a part of another, and leaves the rest', async () => {
    const before = ['one', '2', '3', '4', '5', '6', 'seven', ''].join('\n');
    const talk = await start({
      files: { 'a.txt': before, 'b.txt': 'two\n' },
      args: [
        'try',
        "rm b.txt; sed -i 's/one/ONE/; s/seven/SEVEN/' a.txt; echo new > c.txt; echo waiting; read x; echo got $x",
      ],
      rows: 60,
    });
    const answer = async (title: RegExp, reply: string): Promise<void> => {
      await talk.see(title);
      await talk.until(() => talk.isAsked(), 'the line for an answer');
      talk.type(`${reply}\r`);
    };
    await talk.see('waiting');
    talk.type('typed\r');
    await talk.see('got typed');
    await answer(/\? Keep what rm b\.txt/, 's');
    await answer(/\? Keep the deletion of b\.txt\? \(1 of 3\)/, 'n');
    await answer(/\? Keep a\.txt\? \(2 of 3\)/, 'p');
    await answer(/\? Keep part 1 of 2 of a\.txt\?/, 'n');
    await answer(/\? Keep part 2 of 2 of a\.txt\?/, 'y');
    await answer(/\? Keep c\.txt\? \(3 of 3\)/, 'y');
    expect(await talk.ended()).toBe(0);
    expect(talk.text()).toContain('Kept: 1 file changed, 1 file created.');
    const { machine } = talk;
    expect([at(machine, 'a.txt'), at(machine, 'b.txt'), at(machine, 'c.txt')]).toEqual([
      before.replace('seven', 'SEVEN'),
      'two\n',
      'new\n',
    ]);
  });

if (canTry)
  flow('Ctrl+C at the question drops the changes and is told by the exit code', async () => {
    const talk = await start({ files: {}, args: ['try', 'echo new > c.txt'] });
    await talk.see(/\? Keep what echo new/);
    await talk.until(() => talk.isAsked(), 'the line for an answer');
    talk.type('\x03');
    expect(await talk.ended()).toBe(130);
    expect(at(talk.machine, 'c.txt')).toBe(null);
    expect(talk.text()).toContain('The changes were dropped.');
  });
