import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { isConfined } from './confined.js';
import { createMachine } from './program.js';
import { createRaceStage, type Racer, type RaceStage, runs, writes } from './race/stage.js';

const canRace = isConfined && (await canStage());
if (!canRace) console.log('evidence: no sandbox or no overlay here: toolwright race was not tried');

/** The folder in which groups of processes with a limit of memory can be made; null where there is none. */
const memoryGroups = ((): string | null => {
  try {
    accessSync('/sys/fs/cgroup/memory/memory.limit_in_bytes', constants.W_OK);
    return '/sys/fs/cgroup/memory';
  } catch {
    return null;
  }
})();
if (memoryGroups === null) console.log('evidence: no memory groups here: the bound by memory was not tried');

const open: RaceStage[] = [];
afterEach(async () => {
  for (const stage of open.splice(0)) await stage.close();
});

async function stageWith(racers: Record<string, Racer>, files: Record<string, string> = {}) {
  const stage = await createRaceStage({ 'sum.sh': 'echo $(($1 - $2))\n', ...files }, racers);
  open.push(stage);
  return stage;
}

const right = 'echo $(($1 + $2))\n';
const three: Record<string, Racer> = {
  'good-model': writes('sum.sh', right),
  'bad-model': writes('sum.sh', 'echo 3\necho 3\n'),
  'lazy-model': {},
};
const check = ['--check', 'test "$(sh sum.sh 1 2)" = 3'];

interface PrintedRace {
  sessions: {
    number: number;
    id: string | null;
    reason: string;
    error: { kind: string; message: string } | null;
    refusedCalls: number;
    check: { passed: boolean; ended: string } | null;
    work: { summary: string; files: { path: string }[] } | null;
    waits: boolean;
  }[];
  best: number | null;
  kept: { number: number; changeSet: string } | null;
  refused: { path: string; why: string }[];
}

describe.runIf(canRace)('toolwright race without a terminal', () => {
  it('--keep best keeps the work whose check passed, as one change, and drops the others', async () => {
    const stage = await stageWith(three);
    const { code, stdout, stderr } = await stage.run(...check, '--keep', 'best');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(
      stdout
        .replace(/\d:\d\d/g, '0:00')
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual([
      '# │ model      │ state │ turns │ files │ tokens │ time │ refused │ check',
      '──┼────────────┼───────┼───────┼───────┼────────┼──────┼─────────┼───────',
      '1 │ good-model │ done  │     2 │     1 │  2,040 │ 0:00 │       0 │ passed',
      '2 │ bad-model  │ done  │     2 │     1 │  2,040 │ 0:00 │       0 │ failed',
      '3 │ lazy-model │ done  │     1 │     0 │  1,020 │ 0:00 │       0 │ failed',
      '2 failed its check: exit code 1',
      '3 failed its check: exit code 1',
      '',
      'file   │ session 1 │ session 2',
      '───────┼───────────┼──────────',
      'sum.sh │ +1 -1     │ +2 -1',
      'all    │ +1 -1     │ +2 -1',
      '',
    ]);
    expect(stderr).toMatch(
      /^toolwright: Kept session 1: 1 file changed\. To undo it: toolwright undo \w+\ntoolwright: Dropped: session 2\.\n$/m,
    );
    expect(stage.at('sum.sh')).toBe(right);
    expect(stage.leftovers()).toEqual({ sessions: [], mounts: [], processes: [] });
    await stage.machine.run(['undo']);
    expect(stage.at('sum.sh')).toBe('echo $(($1 - $2))\n');
    console.log(`evidence: a race of three with a check:\n${stdout}${stderr}`);
  });

  it('keeps nothing without --keep: the sessions wait, and --json tells about each', async () => {
    const stage = await stageWith(three);
    const { code, stdout, stderr } = await stage.run(...check, '--json');
    const { sessions, best, kept } = JSON.parse(stdout) as PrintedRace;
    expect([code, best, kept]).toEqual([0, 1, null]);
    expect(stderr).toContain('Nothing was kept: there is no terminal to ask at. --keep best keeps the best.');
    expect(sessions.map(({ reason, check: done, waits }) => [reason, done?.passed, waits])).toEqual([
      ['done', true, true],
      ['done', false, true],
      ['done', false, false],
    ]);
    expect(stage.at('sum.sh')).toBe('echo $(($1 - $2))\n');
    const { sessions: left, ...others } = stage.leftovers();
    expect(left.toSorted()).toEqual([sessions[0]!.id, sessions[1]!.id].toSorted());
    expect(others).toEqual({ mounts: [], processes: [] });
    expect((await stage.machine.run(['apart', 'list'])).stdout).toContain('Make sum add.');
    expect((await stage.machine.run(['apart', 'keep', sessions[0]!.id!, '--yes'])).code).toBe(0);
    expect(stage.at('sum.sh')).toBe(right);
  });

  it('a session that fails is a row with its reason, and the others go on', async () => {
    const refused = { status: 401, body: { error: { message: 'bad key', type: 'auth' } } };
    const stage = await stageWith({ 'no-model': { instead: refused }, 'good-model': three['good-model']! });
    const { code, stdout } = await stage.run(...check, '--keep', 'best', '--leave-others');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 │ no-model {3}│ failed/m);
    expect(stdout).toMatch(/^1 failed: .*bad key/m);
    expect(stage.at('sum.sh')).toBe(right);
  });

  it('where all sessions fail it exits as one prompt would', async () => {
    const refused = { status: 401, body: { error: { message: 'bad key', type: 'auth' } } };
    const stage = await stageWith({ 'no-model': { instead: refused } });
    expect((await stage.run('-n', '2')).code).toBe(41);
    expect(stage.leftovers().sessions).toEqual([]);
  });

  it('a check that takes too long is ended with all it started, and does not pass', async () => {
    const stage = await stageWith({ 'good-model': three['good-model']! });
    const limited = ['--check', 'sleep 300 & sleep 300', '--check-limit', '1'];
    const { code, stdout, stderr } = await stage.run(...limited, '--keep', 'best');
    expect(code).toBe(1);
    expect(stdout).toContain('1 failed its check: stopped at its time limit of 1 s');
    expect(stderr).toContain('Nothing was kept: no session changed files and passed the check.');
    expect(stderr).toMatch(/These sessions are waiting\. .*\n {2}1 {2}\w+ {2}1 file changed\n/);
    expect(stage.leftovers()).toMatchObject({ mounts: [], processes: [] });
  });

  it('what the check itself writes is no part of the work', async () => {
    const stage = await stageWith({ 'good-model': three['good-model']! });
    const { code } = await stage.run('--check', 'touch report && test -e report', '--keep', 'best');
    expect([code, stage.at('sum.sh'), stage.at('report')]).toEqual([0, right, null]);
  });

  it('--keep best keeps nothing at all where somebody changed the same lines of one file meanwhile', async () => {
    const racers: Record<string, Racer> = { 'good-model': runs(`echo two > b.txt; echo '+' > sum.sh`) };
    const stage = await stageWith(racers, { 'b.txt': 'one\n' });
    racers['good-model']!.beforeEnd = () =>
      writeFileSync(join(stage.machine.workspace, 'sum.sh'), 'theirs\n');
    const { code, stderr } = await stage.run('--keep', 'best');
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toContain('Left out: ');
    expect(stderr).toContain('sum.sh: was changed in the same lines\ntoolwright: Nothing was kept.');
    expect([stage.at('sum.sh'), stage.at('b.txt')]).toEqual(['theirs\n', 'one\n']);
    expect(stage.leftovers().sessions.length).toBe(1);
  });

  it('--keep best merges what somebody changed elsewhere in the file meanwhile', async () => {
    const lines = (first: string, last: string) => [first, '2', '3', '4', '5', last, ''].join('\n');
    const racers: Record<string, Racer> = { 'good-model': runs('sed -i s/1/ours/ b.txt') };
    const stage = await stageWith(racers, { 'b.txt': lines('1', '6') });
    racers['good-model']!.beforeEnd = () =>
      writeFileSync(join(stage.machine.workspace, 'b.txt'), lines('1', 'theirs'));
    const { code, stderr } = await stage.run('--keep', 'best');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('b.txt was changed meanwhile; both changes are in it now.');
    expect(stage.at('b.txt')).toBe(lines('ours', 'theirs'));
  });

  it('--keep best keeps nothing of a session whose changes need a look', async () => {
    const job = { command: 'ln -s /etc/passwd link', is_background: true };
    const calls = [...runs('', job).calls!, ...runs('sleep 2').calls!, ...writes('sum.sh', right).calls!];
    const stage = await stageWith({ 'sly-model': { calls } });
    const { code, stdout, stderr } = await stage.run('--keep', 'best', '--json');
    const { kept, refused, best } = JSON.parse(stdout) as PrintedRace;
    expect({ code, kept, best, stderr }).toMatchObject({ code: 1, kept: null, best: 1 });
    expect(refused).toEqual([{ path: join(stage.machine.workspace, 'link'), why: expect.any(String) }]);
    expect(stderr).toContain('Nothing was kept: session 1 is the best, and some of its changes need review.');
    expect(stage.at('sum.sh')).toBe('echo $(($1 - $2))\n');
  });

  it('commands of different sessions run at the same time, and a job that was left ends with its session', async () => {
    const job = { name: 'run_shell_command', arguments: { command: 'sleep 303', is_background: true } };
    const stage = await stageWith({
      one: runs('touch one; sleep 301'),
      two: runs('touch two; sleep 302'),
      three: { calls: [...writes('sum.sh', right).calls!, job] },
    });
    let kill = (_: NodeJS.Signals): void => undefined;
    const args = stage.args('--at-once', '3', '--check', 'touch checked; sleep 304');
    const ended = stage.machine.run(args, {
      env: stage.environment,
      onStart: (send) => void (kill = send),
    });
    const wanted = ['sleep 301', 'sleep 302', 'sleep 304'];
    const running = (): string[] => stage.leftovers().processes;
    for (let tries = 0; !wanted.every((each) => running().includes(each)) && tries < 600; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(running()).toEqual(expect.arrayContaining(wanted));
    expect(running()).not.toContain('sleep 303');
    kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(stage.leftovers()).toMatchObject({ sessions: [expect.any(String)], mounts: [], processes: [] });
  });

  it.runIf(memoryGroups)(
    'runs no more sessions at a time than have room in memory, and says so',
    async () => {
      const group = join(memoryGroups ?? '', `toolwright-race-${process.pid}`);
      mkdirSync(group);
      writeFileSync(join(group, 'memory.limit_in_bytes'), String(2_400 * 1024 * 1024));
      const stage = await stageWith({
        one: writes('a', '1'),
        two: writes('b', '2'),
        three: writes('c', '3'),
      });
      // The program joins the group by itself before anything else, so that its limit is a real one.
      stage.machine.write('join.cjs', `require('node:fs').writeFileSync('${group}/tasks', '0');`);
      const NODE_OPTIONS = `--require ${join(stage.machine.workspace, 'join.cjs')}`;
      const ended = await stage.machine.run(stage.args('--json'), {
        env: { ...stage.environment, NODE_OPTIONS },
      });
      for (let tries = 0; readFileSync(join(group, 'tasks'), 'utf8') !== '' && tries < 100; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      rmdirSync(group);
      expect(ended.stderr).toMatch(
        /2 of 3 sessions run at a time: 2\.\d GB of memory are free, and each may need 1 GB\./,
      );
      expect((JSON.parse(ended.stdout) as PrintedRace).sessions).toHaveLength(3);
    },
  );

  it('a call that would need a question is refused and counted', async () => {
    const stage = await stageWith({ 'asking-model': runs('curl http://192.0.2.1', { network: true }) });
    const { code, stdout } = await stage.run('--json');
    const { sessions } = JSON.parse(stdout) as PrintedRace;
    expect([code, sessions[0]!.refusedCalls, sessions[0]!.work]).toEqual([54, 1, null]);
  });

  it('Ctrl+C stops all sessions, and those that changed nothing leave nothing', async () => {
    const silent = { instead: { instead: 'silence' as const } };
    const stage = await stageWith({ a: silent, b: silent, c: runs('sleep 300') });
    let kill = (_: NodeJS.Signals): void => undefined;
    const ended = stage.machine.run(stage.args(), {
      env: stage.environment,
      onStart: (send) => void (kill = send),
    });
    const isSleeping = () => stage.leftovers().processes.length > 1;
    for (let tries = 0; !isSleeping() && tries < 600; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(stage.leftovers()).toEqual({ sessions: [], mounts: [], processes: [] });
  });
});

it.each([
  [[], 'race needs a prompt'],
  [['x', 'y'], 'takes no more arguments'],
  [['x', '-n', '0'], '--sessions 0: must be a whole number from 1 to 20.'],
  [['x', '-n', '1', '--models', 'a,b'], '--models names 2 models, but -n allows 1 session.'],
  [['x', '--model', 'a', '--models', 'a,b'], 'Give --model or --models, not both.'],
  [['x', '--keep', 'all'], '--keep all: must be one of best.'],
])('a mistake in the command line ends it at once: %j', async (words, message) => {
  const machine = createMachine();
  const { code, stderr } = await machine.run(['race', ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  machine.cleanup();
});
