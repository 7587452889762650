import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { describeTree } from '../packages/machine/src/changes/staged-run/fixtures/describe-tree.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { leftIn, nothingLeft, waitingIn } from './apart/leftovers.js';
import { calls, linesOf, openStage, type Stage } from './headless/run.js';
import { problemIn } from './headless/schema.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: sessions apart were not tried');

let stage: Stage;
afterEach(async () => {
  expect(leftIn(stage.machine)).toEqual(nothingLeft);
  await stage.close();
});

const shell = (command: string) => ({ name: 'run_shell_command', arguments: { command } });
const work = { calls: [calls.read, calls.edit, shell('rm src/app.ts; echo made > made.txt')] };
const done = { text: 'Done.' };

describe.runIf(canTry)('-p --apart', () => {
  it('asks nothing, leaves the workspace as it is, and tells the command that keeps the changes', async () => {
    stage = await openStage({ answers: [work, done] });
    const before = describeTree(stage.machine.workspace);
    const ended = await stage.run(['-p', 'Change it.', '--apart']);
    const [id] = waitingIn(stage.machine);
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ended.stderr).toContain(
      `Waiting for review: 1 file deleted, 1 file changed, 1 file created (+2 -2). To keep: toolwright apart keep ${id}\n`,
    );
    expect(describeTree(stage.machine.workspace)).toEqual(before);
    const { stdout } = await stage.run(['apart', 'list']);
    expect(stdout).toContain('Change it.');
  });

  it('reports the changes that wait as JSON', async () => {
    stage = await openStage({ answers: [work, done] });
    const { stdout, code } = await stage.run(['-p', 'Change it.', '--apart', '--output-format', 'json']);
    const [id] = waitingIn(stage.machine);
    const [line] = linesOf(stdout);
    expect(code).toBe(0);
    expect(line?.['apart']).toEqual({
      id,
      summary: '1 file deleted, 1 file changed, 1 file created',
      files: 3,
      added: 2,
      removed: 2,
      keep: `toolwright apart keep ${id}`,
    });
    expect(problemIn(line, 'json')).toBeNull();
  });

  it('tells the session apart in the first event and the changes that wait in the last one', async () => {
    stage = await openStage({ answers: [work, done] });
    const { stdout } = await stage.run(['-p', 'Change it.', '--apart', '--output-format', 'stream-json']);
    const [id] = waitingIn(stage.machine);
    const lines = linesOf(stdout);
    expect(lines.at(0)).toMatchObject({ type: 'session-start', apart: id });
    expect(lines.at(-1)).toMatchObject({ type: 'result', apart: { id, files: 3 } });
    for (const line of lines) expect(problemIn(line, 'stream-json')).toBeNull();
  });

  it('says nothing and leaves nothing where nothing was changed', async () => {
    stage = await openStage({ answers: [{ calls: [calls.read] }, done] });
    const ended = await stage.run(['-p', 'Look.', '--apart', '--output-format', 'json']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(ended.stdout)[0]).not.toHaveProperty('apart');
    expect(waitingIn(stage.machine)).toEqual([]);
  });

  it('says nothing and leaves nothing where a change was taken back', async () => {
    const there = { calls: [shell('echo other > a.txt')] };
    const back = { calls: [shell('echo alpha > a.txt')] };
    stage = await openStage({ answers: [there, back, done] });
    expect(await stage.run(['-p', 'Try it.', '--apart'])).toMatchObject({ code: 0, stderr: '' });
    expect(waitingIn(stage.machine)).toEqual([]);
  });

  it('a program that is killed while a job runs leaves none of the empty files that its sandbox needed', async () => {
    const job = { command: 'echo made > made.txt; sleep 305', is_background: true };
    let kill = (_: NodeJS.Signals): void => undefined;
    stage = await openStage({
      answers: [
        { calls: [{ name: 'run_shell_command', arguments: job }] },
        { calls: [shell('until test -e made.txt; do sleep 0.1; done; echo ready')] },
        () => {
          kill('SIGKILL');
          return done;
        },
        { calls: [shell('ls')] },
        done,
        { calls: [shell('ls')] },
        done,
      ],
    });
    const before = describeTree(stage.machine.workspace);
    await stage.run(['-p', 'Start it.', '--apart'], { onStart: (send) => void (kill = send) });
    const [id = ''] = waitingIn(stage.machine);
    const upper = join(stage.machine.state, 'apart', id, 'upper-0');
    const shown = async (): Promise<string | undefined> =>
      (await stage.run(['apart', 'show', id])).stdout.split('\n').at(0);
    expect(readdirSync(upper)).toEqual(expect.arrayContaining(['.vscode', 'made.txt']));
    expect(await shown()).toBe('1 file created:');
    // Commands of a session that is not apart don't see them, and so must not forget them.
    await stage.run(['-p', 'Look at the workspace itself.']);
    expect(await shown()).toBe('1 file created:');
    const [project = ''] = readdirSync(join(stage.machine.state, 'sessions'));
    const [journal = ''] = readdirSync(join(stage.machine.state, 'sessions', project)).sort();
    await stage.run(['--resume', journal.replace('.jsonl', ''), '-p', 'Go on.']);
    expect(readdirSync(upper)).toEqual(['made.txt']);
    await stage.run(['apart', 'keep', id, '--yes']);
    expect(describeTree(stage.machine.workspace).filter((entry) => !before.includes(entry))).toEqual([
      expect.stringMatching(/^file 644 made\.txt /),
    ]);
  });

  it('goes on apart with --continue, without the flag', async () => {
    stage = await openStage({
      answers: [{ calls: [calls.read, calls.edit] }, done, { calls: [shell('cat a.txt > b.txt')] }, done],
    });
    const before = describeTree(stage.machine.workspace);
    await stage.run(['-p', 'Change it.', '--apart']);
    const [id] = waitingIn(stage.machine);
    const { stdout, code } = await stage.run([
      '--continue',
      '-p',
      'Go on with @a.txt',
      '--output-format',
      'json',
    ]);
    expect(code).toBe(0);
    expect(linesOf(stdout)[0]?.['apart']).toMatchObject({ id, files: 2, added: 2, removed: 1 });
    // The prompt's `@path` is read where the session works.
    const [, , prompted] = stage.server.requests;
    expect(JSON.stringify(prompted?.body)).toContain('omega');
    expect(waitingIn(stage.machine)).toEqual([id]);
    expect(describeTree(stage.machine.workspace)).toEqual(before);
    const upper = join(stage.machine.state, 'apart', id!, 'upper-0');
    expect(readFileSync(join(upper, 'b.txt'), 'utf8')).toBe('omega\n');
  });
});

it('without a way to an overlay --apart says so before anything is done', async () => {
  stage = await openStage({ answers: [work, done] });
  const inside = join(stage.machine.workspace, 'state');
  mkdirSync(inside);
  const ended = await stage.run(['-p', 'Change it.', '--apart'], { env: { TOOLWRIGHT_HOME: inside } });
  expect(ended).toMatchObject({ code: 52, stdout: '' });
  expect(ended.stderr).toContain(
    "This session can't work apart. Commands can't run on a copy of the workspace here: the state folder",
  );
  expect(stage.server.requests).toEqual([]);
});
