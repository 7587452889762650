import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolbox } from '@toolwright/core';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { createMachine, type Machine } from './program.js';
import { flowsOf, start } from './terminal/flows.js';

const canWork = isConfined && (await canStage());
if (!canWork)
  console.log('evidence: no sandbox or no overlay here: reviews of sessions apart were not tried');

const open: Machine[] = [];
afterEach(() => {
  for (const machine of open.splice(0)) machine.cleanup();
});

type Place = Pick<Machine, 'state' | 'workspace'>;

/** A command in a session apart that then ends and leaves its changes. Returns the id. */
async function workApart({ state, workspace }: Place, command: string): Promise<string> {
  const toolbox = await createToolbox({
    workspace,
    stateFolder: state,
    apart: true,
    confirm: async () => ({ kind: 'once' }),
  });
  const { signal } = new AbortController();
  const args = { command };
  const [settled] = await toolbox.scheduler.run(
    [{ id: '1', name: 'run_shell_command', arguments: args }],
    signal,
  );
  if (settled?.error) throw new Error(settled.error.message);
  const { id } = toolbox.apart;
  await toolbox.close();
  return id!;
}

async function machineWith(files: Record<string, string>, command: string) {
  const machine = createMachine(files);
  open.push(machine);
  return { ...machine, id: await workApart(machine, command) };
}

const at = ({ workspace }: Pick<Machine, 'workspace'>, path: string): string | null =>
  existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), 'utf8') : null;
const waiting = ({ state }: Pick<Machine, 'state'>): string[] => readdirSync(join(state, 'apart'));

const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' };
const work = 'rm b.txt; echo ONE > a.txt; mkdir src; echo x > src/new.txt';

describe.runIf(canWork)('toolwright apart', () => {
  it('show prints the summary, the files, deletions first, then the diff, and changes nothing', async () => {
    const machine = await machineWith(files, work);
    const { stdout, stderr, code } = await machine.run(['apart', 'show', machine.id.slice(0, 12)]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^1 file deleted, 1 file changed, 1 file and 1 folder created:\ndelete b\.txt \(\+0 -1\)\nmodify a\.txt \(\+1 -1\)\nmake-folder src\ncreate src\/new\.txt \(\+1 -0\)\n--- a\/b\.txt\n/,
    );
    expect(stderr).toContain(`To keep all of it: toolwright apart keep ${machine.id}.`);
    const json = JSON.parse((await machine.run(['apart', 'show', machine.id, '--json'])).stdout);
    expect(json).toMatchObject({ id: machine.id, workspace: machine.workspace, refused: [] });
    expect(json.changes.map(({ change }: { change: string }) => change)).toEqual([
      'delete',
      'modify',
      'make-folder',
      'create',
    ]);
    expect([at(machine, 'a.txt'), at(machine, 'b.txt'), at(machine, 'src')]).toEqual([
      'one\n',
      'two\n',
      null,
    ]);
    expect(waiting(machine)).toEqual([machine.id]);
  });

  it('keep --yes keeps everything as one change that undo takes back, and nothing waits any more', async () => {
    const machine = await machineWith(files, work);
    const unasked = await machine.run(['apart', 'keep', machine.id]);
    expect(unasked).toMatchObject({
      code: 54,
      stderr: expect.stringContaining('there is no terminal to ask at'),
    });
    const kept = await machine.run(['apart', 'keep', machine.id, '--yes']);
    expect(kept.code).toBe(0);
    expect(kept.stderr).toMatch(
      /Kept: 1 file deleted, 1 file changed, 1 file and 1 folder created\. To undo it: toolwright undo \w+\n$/,
    );
    expect([at(machine, 'a.txt'), at(machine, 'b.txt'), at(machine, 'src/new.txt')]).toEqual([
      'ONE\n',
      null,
      'x\n',
    ]);
    expect(waiting(machine)).toEqual([]);
    expect((await machine.run(['undo', '--list'])).stdout).toContain(`apart ${machine.id}: 1 file deleted`);
    expect((await machine.run(['undo'])).code).toBe(0);
    expect([at(machine, 'a.txt'), at(machine, 'b.txt'), at(machine, 'src')]).toEqual([
      'one\n',
      'two\n',
      null,
    ]);
  });

  it('keep and drop with files take those and what is in named folders, and the rest waits', async () => {
    const machine = await machineWith(files, work);
    const kept = await machine.run(['apart', 'keep', machine.id, 'src', '--yes', '--json']);
    expect([kept.code, at(machine, 'src/new.txt'), at(machine, 'a.txt')]).toEqual([0, 'x\n', 'one\n']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ kept: expect.any(String), conflicts: [], waiting: 2 });
    expect(kept.stderr).toContain(`2 changes are still waiting: toolwright apart show ${machine.id}`);
    const dropped = await machine.run(['apart', 'drop', machine.id, './b.txt', '--yes']);
    expect(dropped).toMatchObject({ code: 0, stdout: 'Dropped: b.txt\n' });
    expect((await machine.run(['apart', 'show', machine.id])).stdout).toMatch(/^1 file changed:\n/);
    const wrong = await machine.run(['apart', 'keep', machine.id, 'b.txt', '--yes']);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No change to b.txt is waiting in this session apart.'),
    });
    await machine.run(['apart', 'drop', machine.id, 'a.txt', '--yes']);
    expect([waiting(machine), at(machine, 'a.txt'), at(machine, 'b.txt')]).toEqual([[], 'one\n', 'two\n']);
  });

  it('keep --yes refuses what other programs run later, and keeps what is named beside it', async () => {
    const machine = await machineWith(files, 'echo x > .npmrc; echo ONE > a.txt');
    const all = await machine.run(['apart', 'keep', machine.id, '--yes']);
    expect(all.code).toBe(1);
    expect(all.stderr).toMatch(
      /\.npmrc: .*\n.*Nothing was kept, because these changes need review\. Keep them at a terminal without --yes\./,
    );
    expect([at(machine, 'a.txt'), at(machine, '.npmrc')]).toEqual(['one\n', null]);
    expect((await machine.run(['apart', 'keep', machine.id, 'a.txt', '--yes'])).code).toBe(0);
    expect([at(machine, 'a.txt'), at(machine, '.npmrc'), waiting(machine)]).toEqual([
      'ONE\n',
      null,
      [machine.id],
    ]);
  });

  it('keep --yes keeps nothing when others changed the same lines, exits with 1, and everything waits', async () => {
    const machine = await machineWith(files, work);
    writeFileSync(join(machine.workspace, 'a.txt'), 'theirs\n');
    const { code, stderr } = await machine.run(['apart', 'keep', machine.id, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain('Left out: a.txt: was changed in the same lines');
    expect(stderr).toContain(`4 changes are still waiting: toolwright apart show ${machine.id}`);
    expect([at(machine, 'a.txt'), at(machine, 'b.txt')]).toEqual(['theirs\n', 'two\n']);
    expect(waiting(machine)).toEqual([machine.id]);
  });

  it('open goes on with the conversation, apart as before', async () => {
    const machine = createMachine(files);
    open.push(machine);
    const prompt = "replace 'one' with 'ONE' in a.txt";
    const first = await machine.run(['-p', prompt, '--apart', '--provider', 'offline']);
    expect([first.code, at(machine, 'a.txt'), waiting(machine).length]).toEqual([0, 'one\n', 1]);
    const [id = ''] = waiting(machine);
    expect((await machine.run(['apart', 'list'])).stdout).toContain(prompt);
    mkdirSync(machine.state, { recursive: true });
    writeFileSync(join(machine.state, 'settings.json'), '{"v": 1, "model": {"provider": "offline"}}');
    const next = await machine.run(['apart', 'open', id.slice(0, 12)], { input: 'show a.txt' });
    expect([next.code, next.stdout]).toEqual([0, expect.stringContaining('ONE')]);
    expect([at(machine, 'a.txt'), waiting(machine)]).toEqual(['one\n', [id]]);
  });

  it('another folder is told where the session worked, and one that is gone what can still be done', async () => {
    const machine = await machineWith(files, work);
    const other = createMachine();
    open.push(other);
    const env = { HOME: machine.home };
    const foreign = await other.run(['apart', 'show', machine.id], { env });
    expect(foreign).toMatchObject({
      code: 2,
      stderr: `toolwright: The session apart ${machine.id} worked in ${machine.workspace}. Go there, or name it: toolwright apart show ${machine.id} --workspace ${machine.workspace}\n`,
    });
    const named = await other.run(['apart', 'show', machine.id, '--workspace', machine.workspace], { env });
    expect([named.code, named.stdout.slice(0, 14)]).toEqual([0, '1 file deleted']);
    renameSync(machine.workspace, `${machine.workspace}-gone`);
    const gone = await other.run(['apart', 'keep', machine.id, '--yes'], { env });
    expect(gone).toMatchObject({
      code: 52,
      stderr: `toolwright: The folder ${machine.workspace}, which the session apart ${machine.id} worked in, is gone. Put it back, or drop the changes: toolwright apart drop ${machine.id}\n`,
    });
    expect((await other.run(['apart', 'drop', machine.id, '--yes'], { env })).code).toBe(0);
    expect(waiting(machine)).toEqual([]);
  });
});

const flow = flowsOf('apart');

if (canWork)
  flow('the user keeps one file of a session apart, then drops the rest', async () => {
    const machine = await machineWith(files, work);
    const answer = async (talk: Awaited<ReturnType<typeof start>>, title: RegExp, reply: string) => {
      await talk.see(title);
      await talk.until(() => talk.isAsked(), 'the line for an answer');
      talk.type(`${reply}\r`);
    };
    const keeping = await start({ machine, args: ['apart', 'keep', machine.id], rows: 60 });
    await answer(keeping, /\? Keep all changes of the session apart/, 's');
    await answer(keeping, /\? Keep the deletion of b\.txt\? \(1 of 4\)/, 'n');
    await answer(keeping, /\? Keep a\.txt\? \(2 of 4\)/, 'y');
    await answer(keeping, /\? Keep src\? \(3 of 4\)/, 'd');
    expect(await keeping.ended()).toBe(0);
    expect(keeping.text()).toContain('Kept: 1 file changed.');
    expect([at(machine, 'a.txt'), at(machine, 'b.txt'), at(machine, 'src')]).toEqual([
      'ONE\n',
      'two\n',
      null,
    ]);
    const leaving = await start({ machine, args: ['apart', 'drop', machine.id], rows: 60 });
    await answer(leaving, /\? Drop all changes of the session apart/, 'n');
    expect([await leaving.ended(), waiting(machine)]).toEqual([0, [machine.id]]);
    const dropping = await start({ machine, args: ['apart', 'drop', machine.id], rows: 60 });
    await answer(dropping, /\? Drop all changes of the session apart/, 'y');
    expect([await dropping.ended(), waiting(machine)]).toEqual([0, []]);
    expect([at(machine, 'a.txt'), at(machine, 'b.txt')]).toEqual(['ONE\n', 'two\n']);
  });
