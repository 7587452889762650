import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { natsMissing, startNats } from '../packages/fleet/src/fixtures/nats-server.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { copyTasks, shippedTasks, startAnsweringModel } from './eval/answering-model.js';
import { createMachine, program } from './program.js';

const tasks = shippedTasks;
const names = readdirSync(tasks);
const canEvaluate = isConfined && (await canStage());
if (!canEvaluate)
  console.log('evidence: no sandbox or no overlay here: the tasks were not given to the tools');

describe('the tasks that come with the program', () => {
  it.each(names)('%s fails as it begins, and passes with its solution', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-task-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(tasks, name, 'environment'), folder, { recursive: true });
    cpSync(join(tasks, name, 'tests'), join(folder, 'tests'), { recursive: true });
    const test = () => spawnSync('bash', ['tests/test.sh'], { cwd: folder }).status;
    expect(test()).not.toBe(0);
    execFileSync('bash', [join(tasks, name, 'solution/solve.sh')], { cwd: folder });
    expect(test()).toBe(0);
  });

  it.runIf(canEvaluate)(
    'all pass with their recorded answers, three times each: the tools do what they did',
    async () => {
      const machine = createMachine();
      onTestFinished(() => machine.cleanup());
      const { stdout, stderr, code } = await machine.run([
        'eval',
        tasks,
        '--recorded',
        '-k',
        '3',
        '--at-once',
        '2',
      ]);
      console.log(`evidence: ${names.length} tasks, three times each:\n${stdout}`);
      expect(names.length).toBe(20);
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(/^all +60 of 60 /m);
    },
  );
});

if (natsMissing) console.log(`evidence: no evaluation was carried by NATS: ${natsMissing}`);

describe.runIf(canEvaluate && natsMissing === null)('an evaluation over NATS', () => {
  it('is carried by its own process and by a worker elsewhere, and no run is done twice', async () => {
    const server = await startNats();
    onTestFinished(() => server.stop());
    const [here, elsewhere] = [createMachine(), createMachine()];
    onTestFinished(() => {
      for (const machine of [here, elsewhere]) machine.cleanup();
    });
    const some = ['keep-crlf', 'new-nested-file', 'json-field', 'sort-unique'];
    const folder = join(here.home, 'tasks');
    copyTasks(some, folder);
    const model = await startAnsweringModel(some);
    onTestFinished(() => model.close());
    const out = join(here.workspace, 'results');
    mkdirSync(out);
    const worker = spawn(
      process.execPath,
      [program, 'fleet', 'worker', '--engine', server.url, '--root', out, '-y'],
      {
        cwd: elsewhere.workspace,
        env: { PATH: process.env['PATH'], HOME: elsewhere.home, ...model.environment() },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    onTestFinished(() => void worker.kill('SIGKILL'));
    await once(worker.stderr, 'data');
    const args = [
      'eval',
      folder,
      '-k',
      '4',
      '--at-once',
      '1',
      '--engine',
      server.url,
      '--out',
      out,
      '--json',
    ];
    const { code, stdout, stderr } = await here.run(args, { env: model.environment() });
    const runs = some.length * 4;
    expect(code, stdout + stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ total: { runs, passed: runs } });
    const status = await here.run(['fleet', 'status', '--engine', server.url, '--tasks', '--json']);
    const [, ...records] = status.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { worker: string; state: string });
    expect(records.map(({ state }) => state)).toEqual(Array(runs).fill('done'));
    const workers = [...new Set(records.map(({ worker: name }) => name))];
    const counts = workers.map((name) => records.filter(({ worker: by }) => by === name).length);
    console.log(`evidence: ${runs} runs over NATS, done by two workers: ${counts.join(' and ')}`);
    expect(counts).toHaveLength(2);
    // A run that is there is not done again.
    const asked = model.requests.length;
    expect((await here.run(args, { env: model.environment() })).code).toBe(0);
    expect(model.requests).toHaveLength(asked);
  }, 120_000);
});
