import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openApartFolders } from '../packages/machine/src/host/apart/apart-folders.js';
import { createClock, createIds } from '../packages/machine/src/host/node-host.js';
import { openState } from '../packages/machine/src/host/state/state.js';
import { createMachine, type Machine } from './program.js';

const open: Machine[] = [];
afterEach(() => {
  for (const machine of open.splice(0)) machine.cleanup();
});

function machineWith(files: Record<string, string> = {}): Machine {
  const machine = createMachine(files);
  open.push(machine);
  return machine;
}

function foldersOf({ state }: Pick<Machine, 'state'>) {
  const [clock, ids] = [createClock(), createIds()];
  return openApartFolders({ state: openState({ path: state, host: { clock, ids } }), clock, ids });
}

/** A session apart with one changed file, as a program leaves it. */
async function leaveApart(machine: Pick<Machine, 'state' | 'workspace'>, prompt = 'Tidy up\nthe tests') {
  const { workspace } = machine;
  const folder = await foldersOf(machine).create({ session: 'of-it', workspace, roots: [workspace], prompt });
  mkdirSync(join(folder.path, 'upper-0'));
  writeFileSync(join(folder.path, 'upper-0/new.txt'), 'new\n');
  return folder;
}

it('apart list tells each session apart with age, size, files and prompt, newest first', async () => {
  const machine = machineWith();
  expect((await machine.run(['apart', 'list'])).stdout).toBe('No session apart is waiting for a review.\n');
  const first = await leaveApart(machine);
  await first.close();
  const second = await leaveApart(machine, '');
  const { stdout, code } = await machine.run(['apart', 'list']);
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      new RegExp(`^${second.about.id}  0 minutes old, 1 file, [\\d.]+ kB  \\(no prompt\\)$`),
    ),
    `    in ${machine.workspace}`,
    expect.stringMatching(new RegExp(`^    in use by process ${process.pid} on .+ since `)),
    expect.stringMatching(
      new RegExp(`^${first.about.id}  0 minutes old, 1 file, [\\d.]+ kB  Tidy up the tests$`),
    ),
    `    in ${machine.workspace}`,
    '',
  ]);
  const [json] = JSON.parse((await machine.run(['apart', 'list', '--json'])).stdout) as object[];
  expect(json).toMatchObject({ id: second.about.id, workspace: machine.workspace, files: 1, prompt: '' });
  await second.close();
});

it('apart drop removes one that nobody works in, by the beginning of its id', async () => {
  const machine = machineWith();
  const { about, close } = await leaveApart(machine);
  const busy = await machine.run(['apart', 'drop', about.id, '--yes']);
  expect(busy).toMatchObject({
    code: 52,
    stderr: expect.stringMatching(`The session apart ${about.id} is in use by process ${process.pid} on `),
  });
  await close();
  const unasked = await machine.run(['apart', 'drop', about.id]);
  expect(unasked).toMatchObject({
    code: 54,
    stderr:
      'toolwright: Nothing was dropped: there is no terminal to ask at. --yes drops without a question.\n',
  });
  const dropped = await machine.run(['apart', 'drop', about.id.slice(0, 10), '--yes']);
  expect(dropped).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(`^Dropped: the session apart ${about.id}\\.`),
  });
  expect(readdirSync(join(machine.state, 'apart'))).toEqual([]);
});

it.each([
  [['apart', 'drop'], 'apart drop needs the id of a session apart; toolwright apart list shows them.'],
  [['apart', 'drop', 'nothing'], 'There is no session apart nothing. toolwright apart list shows them.'],
  [
    ['apart', 'drop', '../sessions'],
    'There is no session apart ../sessions. toolwright apart list shows them.',
  ],
])('%j is a mistake', async (args, message) => {
  expect(await machineWith().run(args)).toMatchObject({ code: 2, stderr: `toolwright: ${message}\n` });
});

it('a session apart whose description is damaged is listed, told by doctor, and dropped only when asked to', async () => {
  const machine = machineWith();
  const { about, path, close } = await leaveApart(machine);
  await close();
  writeFileSync(join(path, 'about.json'), '{');
  const problem = `${path}/about.json is damaged. What was changed is in ${path}`;
  expect((await machine.run(['apart', 'list'])).stdout).toContain(`    damaged: ${problem}\n`);
  expect((await machine.run(['doctor'])).stdout).toContain(
    `note    Sessions apart: ${problem}; toolwright apart drop ${about.id} removes it.\n`,
  );
  expect(existsSync(path)).toBe(true);
  expect(await machine.run(['apart', 'drop', about.id, '--yes'])).toMatchObject({ code: 0 });
  expect(existsSync(path)).toBe(false);
});

it('the program warns at its start of a session apart that is too old, and removes nothing', async () => {
  const machine = machineWith();
  const { about, path, close } = await leaveApart(machine);
  await close();
  const { stderr: before } = await machine.run(['undo', '--list']);
  expect(before).toBe('');
  writeFileSync(
    join(path, 'about.json'),
    JSON.stringify({ v: 1, ...about, startedAt: '2020-01-01T00:00:00.000Z' }),
  );
  const { stderr } = await machine.run(['undo', '--list']);
  expect(stderr).toBe(
    `toolwright: A session apart is older than 30 days; the oldest is ${about.id} ("Tidy up the tests"). To look at it: toolwright apart show ${about.id}. To remove it: toolwright apart drop ${about.id}. All are listed by toolwright apart list.\n`,
  );
  expect(existsSync(path)).toBe(true);
});
