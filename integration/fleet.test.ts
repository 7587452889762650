import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { leftIn, nothingLeft } from './apart/leftovers.js';
import { linesOf, openStage, type Stage } from './headless/run.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: the fleet was not tried');

let stage: Stage;
afterEach(() => stage.close());

const pathOf = (name: string): string => join(stage.machine.workspace, name);
const fileIn = (name: string): string => readFileSync(pathOf(name), 'utf8');
const offline = ['--provider', 'offline'];

function repository(name: string, files: Record<string, string>): void {
  mkdirSync(pathOf(name), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(pathOf(name), file), content);
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], { cwd: pathOf(name) });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'begin');
}

async function recordsOf(more: string[] = []): Promise<Record<string, unknown>[]> {
  const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json', ...more]);
  return linesOf(stdout).slice(1);
}

describe.runIf(canTry)('toolwright fleet', () => {
  it('tells every bad row before anything starts', async () => {
    stage = await openStage({});
    stage.machine.write('tasks.jsonl', '{"prompt": "list ."}\n{"promt": 1}\n');
    const { code, stderr } = await stage.run(['fleet', 'run', 'tasks.jsonl', ...offline]);
    expect([code, stderr]).toEqual([
      2,
      'toolwright: Nothing was submitted:\ntasks.jsonl:2:1: prompt is missing\ntasks.jsonl:2:2: promt is not known. Did you mean prompt?\n',
    ]);
    const rows = [
      { prompt: 'a', folder: '/etc' },
      { prompt: 'b', arguments: 'c' },
      { prompt: 'd', format: 2 },
    ];
    stage.machine.write('rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect((await stage.run(['fleet', 'run', 'rows.jsonl', ...offline])).stderr).toMatch(
      /rows\.jsonl:1:1: \/etc is not in a folder that this worker works in .*\nrows\.jsonl:2:15: arguments goes with a command or a skill\nrows\.jsonl:3:15: format is 2, and this version knows 1\n/,
    );
    const secret = { OPENAI_API_KEY: 'sk-a-long-secret-value-1234567890' };
    stage.machine.write('secret.jsonl', `${JSON.stringify({ prompt: `use ${secret.OPENAI_API_KEY}` })}\n`);
    const refused = await stage.run(['fleet', 'submit', 'secret.jsonl'], { env: secret });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('secret.jsonl:1:1: the task holds a secret'),
    ]);
    expect(existsSync(join(stage.machine.state, 'fleet/default/queue'))).toBe(false);
  });

  it('begins nothing on a machine that reaches no model, and says so in one sentence', async () => {
    stage = await openStage({});
    stage.machine.write('tasks.jsonl', '{"prompt": "list ."}\n');
    // The machine alone: the variables of the stage name a model.
    const run = (...args: string[]) => stage.machine.run(['fleet', ...args]);
    const [bare, named, whole] = await Promise.all([
      run('worker', '--until-empty'),
      run('worker', '--until-empty', '--model', 'gpt-x'),
      run('run', 'tasks.jsonl'),
    ]);
    const start = 'toolwright: No task can be worked on here:';
    expect([bare.code, bare.stderr]).toEqual([52, expect.stringContaining(`${start} No key is set`)]);
    expect([named.code, named.stderr]).toEqual([
      52,
      expect.stringMatching(/^toolwright: No host is configured for the model gpt-x/),
    ]);
    expect([whole.code, whole.stderr]).toEqual([52, bare.stderr]);
    expect(existsSync(join(stage.machine.state, 'fleet/default/queue'))).toBe(false);
  });

  it('lists what waits, cancels all of it, lifts limits and forgets what has ended', async () => {
    stage = await openStage({});
    stage.machine.write('tasks.jsonl', '{"prompt": "list ."}\n{"prompt": "list src"}\n');
    await stage.run(['fleet', 'submit', 'tasks.jsonl', '--limit', 'repository=1', '--limit', 'x=2']);
    const limited = await stage.run(['fleet', 'status']);
    expect(limited.stdout).toBe('2 queued\nlimits: repository=1, x=2\n');
    const waiting = await recordsOf(['--state', 'queued']);
    expect(waiting.map(({ title }) => title)).toEqual(['list .', 'list src']);
    expect((await stage.run(['fleet', 'cancel', '--queued'])).stdout).toBe('2 tasks cancelled.\n');
    await stage.run([
      'fleet',
      'worker',
      '--until-empty',
      '--limit',
      'repository=off',
      '--limit',
      'x=off',
      ...offline,
    ]);
    expect((await stage.run(['fleet', 'status'])).stdout).toBe('2 cancelled\n');
    expect((await stage.run(['fleet', 'forget', '--older', '1'])).stdout).toBe('0 tasks forgotten.\n');
    expect((await stage.run(['fleet', 'forget', '--older', '0'])).stdout).toBe('2 tasks forgotten.\n');
    expect((await stage.run(['fleet', 'status'])).stdout).toBe('This fleet has no tasks.\n');
  });

  it('works each task apart, checks it, reports, and collects patches, branches and changes of the folder', async () => {
    stage = await openStage({});
    repository('one', { 'notes.txt': 'alpha\n' });
    repository('two', { 'notes.txt': 'alpha\n' });
    stage.machine.write(
      'tasks.csv',
      `prompt,folder,check\n"replace 'alpha' with 'beta' in notes.txt",one,grep beta notes.txt\n"replace 'alpha' with 'beta' in notes.txt",two,grep gamma notes.txt\n`,
    );
    const ended = await stage.run([
      'fleet',
      'run',
      'tasks.csv',
      '--workers',
      '2',
      '--report',
      'report',
      '--approval-mode',
      'auto-edit',
      ...offline,
    ]);
    expect(ended.code).toBe(1);
    expect(
      ended.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(/\s+/)[0])
        .sort(),
    ).toEqual(['1', 'done', 'failed']);
    expect(ended.stdout).toContain('The check failed: exit code 1.');
    expect(ended.stderr).toMatch(/^done +\w+ {2}one {2}replace 'alpha'/m);
    expect(fileIn('one/notes.txt')).toBe('alpha\n');
    expect(fileIn('report.md')).toContain('| 1 file changed, +1 -1 | passed |');
    expect(fileIn('report.html')).toContain('<b class="failed">1 failed</b>');

    const [done] = (await recordsOf()).filter(({ state }) => state === 'done') as { task: { id: string } }[];
    const { id } = done!.task;
    await stage.run(['fleet', 'collect', '--directory', 'patches']);
    expect(fileIn(`patches/${id}.patch`)).toContain('-alpha\n+beta\n');
    expect(readdirSync(pathOf('patches'))).toHaveLength(1);
    await stage.run(['fleet', 'collect', '--to', 'branches', '--author', 'Ann Other <ann@example.com>']);
    const log = execFileSync('git', ['log', '-1', '--format=%an %s', `toolwright/${id}`], {
      cwd: pathOf('one'),
      encoding: 'utf8',
    });
    expect(log).toBe("Ann Other replace 'alpha' with 'beta' in notes.txt\n");
    const kept = await stage.run(['fleet', 'collect', '--to', 'folder']);
    expect([kept.stdout, fileIn('one/notes.txt')]).toEqual([`${id}  one: 1 change kept\n`, 'beta\n']);
    await stage.run(['undo', '--workspace', pathOf('one')]);
    expect(fileIn('one/notes.txt')).toBe('alpha\n');
    expect(leftIn(stage.machine)).toEqual(nothingLeft);
  });

  it('gives a task its custom command or skill with arguments, and never more than its budget', async () => {
    const reading = { name: 'read_file', arguments: { absolute_path: 'a.txt' } };
    const answer = ({ bytes }: { bytes: Buffer }) =>
      bytes.toString().includes('Look around') ? { text: 'Looking.', calls: [reading] } : { text: 'Done.' };
    stage = await openStage({ otherwise: answer });
    stage.machine.write('../home/.toolwright/commands/tidy.md', 'Tidy up $ARGUMENTS, please.');
    const skill = '---\nname: tides\ndescription: Tells the tides.\n---\nHigh water is at noon.\n';
    stage.machine.write('../home/.toolwright/skills/tides/SKILL.md', skill);
    stage.machine.write('../home/.toolwright/commands/broken.toml', 'prompt = ');
    const tasks = [
      { command: 'tidy', arguments: 'the shed' },
      { skill: 'tides', arguments: 'for Tuesday' },
      { prompt: 'Look around', turns: 2 },
      { prompt: 'Spend', cost: 0.5 },
      { command: 'gone' },
      { skill: 'gone' },
      { command: 'broken' },
    ];
    stage.machine.write('tasks.jsonl', tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
    expect((await stage.run(['fleet', 'run', 'tasks.jsonl', '--workers', '1'])).code).toBe(1);
    const [tidy, tides, around, spend, ...unknown] = (await recordsOf()) as Record<
      string,
      { message: string }
    >[];
    expect([tidy, tides].map((record) => record?.['state'])).toEqual(['done', 'done']);
    expect(around).toMatchObject({ state: 'failed', usage: { turns: 2, ms: expect.any(Number) } });
    expect(around?.['failure']?.message).toBe('Stopped at its limit: turn-limit.');
    expect(spend?.['failure']?.message).toMatch(
      /^It has a spending limit, and the prices of fake-model are not/,
    );
    expect(unknown).toMatchObject([
      {
        state: 'failed',
        attempts: 1,
        failure: { message: expect.stringMatching(/^There is no command gone /) },
      },
      {
        state: 'failed',
        attempts: 1,
        failure: { message: expect.stringMatching(/^There is no skill gone /) },
      },
      { state: 'failed', attempts: 1, failure: { kind: 'refused' } },
    ]);
    const [first, second, ...further] = stage.server.requests.map(({ bytes }) => bytes.toString());
    expect(first).toContain('Tidy up the shed, please.');
    expect(second).toContain('Use the skill tides. for Tuesday');
    expect(second).toContain('Tells the tides.');
    expect(further).toHaveLength(2);
  });

  it('parks a task with its question; after every process has ended an answer lets it go on', async () => {
    const fetching = { name: 'web_fetch', arguments: { url: 'https://example.com/', prompt: 'x' } };
    const writing = { name: 'write_file', arguments: { file_path: 'made.txt', content: 'made\n' } };
    stage = await openStage({ answers: [{ calls: [writing] }, { calls: [fetching] }, { text: 'Done.' }] });
    stage.machine.write('tasks.yaml', '- prompt: look it up\n');
    const auto = ['--approval-mode', 'auto-edit'];
    const parked = await stage.run(['fleet', 'run', 'tasks.yaml', '--workers', '1', ...auto]);
    expect([parked.code, parked.stderr]).toEqual([55, expect.stringContaining('1 task waits for an answer')]);
    const [question] = linesOf((await stage.run(['fleet', 'questions', '--json'])).stdout);
    expect(question).toMatchObject({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      request: { tool: 'web_fetch' },
    });
    await stage.run(['fleet', 'answer', String(question!['id']), 'no', 'use', 'the', 'cache']);
    await stage.run(['fleet', 'worker', '--slots', '1', '--until-empty', ...auto]);
    const [record] = await recordsOf();
    expect(record).toMatchObject({
      state: 'done',
      outcome: { response: 'Done.', files: 1 },
      attempts: 2,
      crashes: 0,
    });
    const last = stage.server.requests[2]!.bytes.toString();
    expect(last).toContain('The user refused this call: use the cache');
    expect(last).not.toContain('interrupted');
    expect(stage.server.requests).toHaveLength(3);
    expect(leftIn(stage.machine)).toEqual(nothingLeft);
  });
});
