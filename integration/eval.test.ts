import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { copyTasks, shippedTasks, startAnsweringModel } from './eval/answering-model.js';
import { createMachine, type Machine, program } from './program.js';

const canEvaluate = isConfined && (await canStage());
if (!canEvaluate) console.log('evidence: no sandbox or no overlay here: toolwright eval was not tried');

let machine: Machine;
afterEach(() => machine.cleanup());

interface Printed {
  comparison: object | null;
  total: { runs: number; passed: number; rate: { low: number; high: number } };
  runs: { task: string; number: number; passed: boolean; ended: string }[];
}

describe.runIf(canEvaluate)('toolwright eval', () => {
  it('runs tasks several times, goes on where it stopped, reports, and compares two evaluations', async () => {
    machine = createMachine();
    const tasks = join(machine.home, 'tasks');
    copyTasks(['keep-crlf', 'new-nested-file'], tasks);
    const evaluate = (...more: string[]) => machine.run(['eval', tasks, '--recorded', ...more]);
    const first = await evaluate('-k', '2', '--out', 'a', '--json');
    expect(first.code, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      total: { runs: 4, passed: 4, rate: { value: 1 } },
    });
    // A run that is missing is done again, the others are not.
    const results = join(machine.workspace, 'a/results.jsonl');
    const lines = readFileSync(results, 'utf8').trim().split('\n');
    writeFileSync(results, `${lines.slice(0, 3).join('\n')}\n{"torn`);
    const resumed = await evaluate('-k', '2', '--out', 'a');
    expect(resumed.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^toolwright: 4 of 4: new-nested-file, run 2: passed$/),
    ]);
    expect(resumed.stdout).toMatch(/^keep-crlf +2 of 2 +34 – 100 % +3\.0 +9,940 +– /m);
    // A changed answer makes one task fail, also where the work touches its test.
    const wrong = [
      { calls: [{ name: 'write_file', arguments: { file_path: 'tests/test.sh', content: 'exit 0\n' } }] },
      { text: 'Done.' },
    ];
    writeFileSync(
      join(tasks, 'keep-crlf/answers.jsonl'),
      wrong.map((each) => JSON.stringify(each)).join('\n'),
    );
    const second = await evaluate('-k', '2', '--out', 'b', '--against', 'a', '--json');
    const printed = JSON.parse(second.stdout) as Printed;
    expect([second.code, printed.total.passed]).toEqual([1, 2]);
    const report = readFileSync(join(machine.workspace, 'b/report.html'), 'utf8');
    const compared =
      'passed: -50.0 points (95 % interval -85.0 points to +10.2 points): may be chance, as only 2 runs ended differently';
    expect(report).toContain(`<li>${compared}</li>`);
    expect(report).toContain('<li class="bad">keep-crlf: 100 % → 0 %</li>');
    const told = await evaluate('-k', '2', '--out', 'b', '--against', 'a');
    expect(told.stdout).toContain(
      `\nAgainst the earlier evaluation:\n  4 runs, each compared with the run of the same task and number.\n  ${compared}\n`,
    );
    expect(told.stdout).toContain('\n  keep-crlf: 100 % → 0 %\n');
    expect(printed.comparison).toMatchObject({
      pairs: 4,
      passed: { value: -0.5 },
      tasks: [{ name: 'keep-crlf' }, {}],
    });
    expect(report.match(/<svg /g)).toHaveLength(3);
    expect(report).not.toMatch(/https?:|<script/);
    const left = ['apart', 'sessions'].map((name) => readdirSync(join(machine.state, name)));
    expect(left).toEqual([[], []]);
    const other = await machine.run(['eval', tasks, '--out', 'b', '--provider', 'offline']);
    expect([other.code, other.stderr]).toEqual([
      52,
      `toolwright: ${join(machine.workspace, 'b')} holds runs of recorded answers, not of offline. Name another folder with --out.\n`,
    ]);
  });

  it('fails a run whose recorded answers count on what a tool did not give, though its test passes', async () => {
    machine = createMachine();
    const tasks = join(machine.home, 'tasks');
    copyTasks(['count-files'], tasks);
    rmSync(join(tasks, 'count-files/environment/docs/two.md'));
    const { code, stdout, stderr } = await machine.run(['eval', tasks, '--recorded', '--json']);
    expect([code, JSON.parse(stdout).total.passed]).toEqual([1, 0]);
    expect(stderr).toBe(
      'toolwright: 1 of 1: count-files, run 1: failed, the tools did not give "3 files", which answer 2 relies on\n',
    );
    expect(JSON.parse(stdout).runs[0]).toMatchObject({ ended: 'exit code 0', passed: false });
  });

  it('is carried by a fleet: its runs pass and fail as they do here, and what was asked is not left waiting', async () => {
    machine = createMachine();
    const tasks = join(machine.home, 'tasks');
    const names = ['keep-crlf', 'new-nested-file'];
    copyTasks(names, tasks);
    cpSync(join(tasks, 'keep-crlf'), join(tasks, 'asks'), { recursive: true });
    writeFileSync(join(tasks, 'asks/instruction.md'), 'Look at a page.');
    cpSync(join(tasks, 'keep-crlf'), join(tasks, 'idle'), { recursive: true });
    writeFileSync(join(tasks, 'idle/instruction.md'), 'Do nothing.');
    const model = await startAnsweringModel(names);
    const engine = join(machine.home, 'engine');
    const args = ['eval', tasks, '-k', '2', '--at-once', '2', '--engine', engine, '--out', 'a', '--json'];
    const { code, stdout, stderr } = await machine.run(args, { env: model.environment() });
    const { total, runs } = JSON.parse(stdout) as Printed;
    expect([code, total.runs, total.passed], stderr).toEqual([1, 8, 4]);
    const of = (task: string) => runs.filter((run) => run.task === task);
    for (const name of names)
      expect(of(name)).toMatchObject(Array(2).fill({ passed: true, ended: 'exit code 0' }));
    expect(of('idle')).toMatchObject(
      Array(2).fill({ passed: false, error: null, ended: expect.stringMatching(/^exit code [1-9]/) }),
    );
    expect(of('asks')).toMatchObject(
      Array(2).fill({ passed: false, error: 'It needed an answer, and there was nobody to ask.' }),
    );
    const status = await machine.run(['fleet', 'status', '--engine', engine, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      states: { done: 4, failed: 2, cancelled: 2, parked: 0, queued: 0 },
    });
    // Everything is there, so that nothing is asked of a model again.
    const asked = model.requests.length;
    expect((await machine.run(args, { env: model.environment() })).code).toBe(1);
    expect(model.requests).toHaveLength(asked);
    await model.close();
  });

  it('ends with 130 when it is cancelled', async () => {
    machine = createMachine();
    const model = await startFakeModelServer({ otherwise: { text: 'Partly', afterwards: 'silence' } });
    const args = ['eval', shippedTasks, '--tasks', 'keep-crlf', '--out', 'a'];
    const env = { ...model.environment(), HOME: machine.home };
    const running = spawn(process.execPath, [program, ...args], { cwd: machine.workspace, env });
    let said = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
    const ended = new Promise((resolve) => void running.on('close', resolve));
    await expect.poll(() => model.requests.length).toBe(1);
    running.kill('SIGINT');
    expect([await ended, said]).toEqual([
      130,
      'toolwright: Cancelled. Run the same command again to continue with the runs that are left.\n',
    ]);
    await model.close();
  });

  it('leaves nothing for good when it is killed: the next start removes its view and its journal', async () => {
    machine = createMachine();
    const model = await startFakeModelServer({ otherwise: { text: 'Partly', afterwards: 'silence' } });
    const args = ['eval', shippedTasks, '--tasks', 'keep-crlf', '--out', 'a'];
    const env = { ...model.environment(), HOME: machine.home };
    const running = spawn(process.execPath, [program, ...args], { cwd: machine.workspace, env });
    const ended = new Promise((resolve) => void running.on('close', resolve));
    await expect.poll(() => model.requests.length).toBe(1);
    running.kill('SIGKILL');
    await ended;
    await model.close();
    const namesIn = (name: string): string[] => readdirSync(join(machine.state, name));
    expect([namesIn('apart').length, namesIn('sessions').length]).toEqual([1, 1]);
    const next = await machine.run(['-p', 'list .', '--provider', 'offline']);
    expect(next.code, next.stderr).toBe(0);
    // The journal of that start alone.
    expect([namesIn('apart').length, namesIn('sessions').length]).toEqual([0, 1]);
  });

  it('says what is wrong with a folder that holds no tasks, or half a task', async () => {
    machine = createMachine();
    const none = await machine.run(['eval', '.']);
    expect(none.stderr).toContain('holds no tasks. A task is a folder with task.toml');
    mkdirSync(join(machine.workspace, 'half'));
    writeFileSync(join(machine.workspace, 'half/task.toml'), 'version = "1.0"\n');
    expect((await machine.run(['eval', '.'])).stderr).toContain('half has no tests/test.sh.');
    const unwritable = await machine.run(['eval', shippedTasks, '--recorded', '--out', '/proc/nowhere']);
    expect([unwritable.code, unwritable.stderr]).toEqual([
      52,
      expect.stringMatching(/^toolwright: The results can't be written to \/proc\/nowhere: /),
    ]);
  });
});
