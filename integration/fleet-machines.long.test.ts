import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type NatsServer, natsMissing, startNats } from '../packages/fleet/src/fixtures/nats-server.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { linesOf, openStage, type Stage } from './headless/run.js';
import { createSlowLook } from './headless/slow-look.js';
import { program } from './program.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: the fleet was not tried');
if (natsMissing !== null)
  console.log(`evidence: the fleet on several machines was not tried: ${natsMissing}`);

const SECRET = 'sk-workers-own-key-0123456789abcdef';

let stage: Stage;
let server: NatsServer | undefined;
let children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await server?.stop();
  server = undefined;
  await stage.close();
});

/** The words that lead to the fleet: a folder, or a server. */
async function engineWords(kind: string): Promise<string[]> {
  if (kind === 'files') return ['--engine', join(stage.machine.home, 'fleet')];
  server = await startNats();
  return ['--engine', server.url];
}

/** A worker with a home of its own, which knows nothing of the others but the fleet. */
function startMachine(name: string, words: string[]): ChildProcess {
  const home = join(stage.machine.home, name);
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...stage.server.environment(),
    HOME: home,
    OPENAI_API_KEY: SECRET,
  };
  const child = spawn(process.execPath, [program, 'fleet', 'worker', ...words], {
    cwd: stage.machine.workspace,
    env,
    stdio: 'ignore',
  });
  children.push(child);
  return child;
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('exit', resolve));

/** Files below a folder whose bytes hold the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

/** True while a process with exactly these words runs. */
function runs(words: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${words.replace(' ', '\0')}\0`
      );
    } catch {
      return false;
    }
  });
}

const engines = natsMissing === null ? ['files', 'nats'] : ['files'];

describe.runIf(canTry)('the fleet on several machines', () => {
  it.each(engines)(
    'goes on with the last finished turn of a machine that is gone, and keeps no secret, %s',
    async (kind) => {
      const command = (text: string) => ({ name: 'run_shell_command', arguments: { command: text } });
      stage = await openStage({
        answers: [
          {
            calls: [
              {
                name: 'write_file',
                arguments: { file_path: 'first.txt', content: `the key is ${SECRET}\n` },
              },
              command('echo plain > plain.txt; echo ignored.txt > .gitignore; cp plain.txt ignored.txt'),
            ],
          },
          { calls: [command('echo again >> plain.txt; sleep 60')] },
        ],
        otherwise: { text: `Finished with ${SECRET}.` },
      });
      const words = await engineWords(kind);
      writeFileSync(join(stage.machine.workspace, 'tasks.jsonl'), '{"prompt": "make files"}\n');
      await stage.run(['fleet', 'submit', 'tasks.jsonl', ...words]);
      const flags = ['--slots', '1', '--lease', '2', '--approval-mode', 'yolo', '--until-empty', ...words];
      const first = startMachine('first', flags);
      await expect.poll(() => stage.server.requests.length, { timeout: 30_000 }).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 500));
      first.kill('SIGKILL');
      await ended(startMachine('second', flags));
      const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json', ...words]);
      const [record] = linesOf(stdout).slice(1);
      expect(record).toMatchObject({
        state: 'done',
        crashes: 1,
        attempts: 2,
        outcome: { leftOut: ['first.txt: it holds a secret of this machine'] },
      });
      expect(stage.server.requests[2]!.bytes.toString()).toContain(
        'The call was interrupted before it gave a result.',
      );
      await stage.run(['fleet', 'collect', '--directory', 'out', ...words]);
      const [patch] = readdirSync(join(stage.machine.workspace, 'out'));
      const text = readFileSync(join(stage.machine.workspace, 'out', patch!), 'utf8');
      expect(text).toContain('+plain\n');
      expect(text).not.toContain('again');
      expect(text).not.toContain('ignored.txt b/');
      const store = server?.store ?? join(stage.machine.home, 'fleet');
      expect(filesWith(store, 'make files').length).toBeGreaterThan(0);
      expect(filesWith(store, SECRET)).toEqual([]);
    },
  );

  it.each(engines)('reads again where a machine was lost in the middle of a read, %s', async (kind) => {
    stage = await openStage({ otherwise: { text: 'I see.' } });
    const look = createSlowLook(stage.machine);
    for (const name of ['first', 'second']) look.install(join(stage.machine.home, name));
    stage.server.answer({ calls: [look.call] });
    const words = await engineWords(kind);
    writeFileSync(join(stage.machine.workspace, 'tasks.jsonl'), '{"prompt": "look"}\n');
    await stage.run(['fleet', 'submit', 'tasks.jsonl', ...words]);
    const flags = ['--slots', '1', '--lease', '2', '--until-empty', ...words];
    const first = startMachine('first', flags);
    await expect.poll(() => look.begun(), { timeout: 30_000 }).toBe(1);
    first.kill('SIGKILL');
    look.letGo();
    await ended(startMachine('second', flags));
    const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json', ...words]);
    expect(linesOf(stdout)[1]).toMatchObject({ state: 'done', crashes: 1, attempts: 2 });
    const request = stage.server.requests[1]!.bytes.toString();
    expect(request).toContain('Seen at last.');
    expect(request).not.toContain('interrupted before it gave a result');
    expect([look.begun(), stage.server.requests.length]).toEqual([2, 2]);
  });

  it.each(engines)(
    'never runs a command twice that was agreed to when its machine was lost, %s',
    async (kind) => {
      // A number of its own finds its process; a command with network is asked about before it runs.
      const sleeping = `sleep 60.${process.pid}`;
      const command = {
        name: 'run_shell_command',
        arguments: { command: `${sleeping}; echo slept`, network: true },
      };
      stage = await openStage({ answers: [{ calls: [command] }], otherwise: { text: 'I see.' } });
      const words = await engineWords(kind);
      writeFileSync(join(stage.machine.workspace, 'tasks.jsonl'), '{"prompt": "run it"}\n');
      const flags = ['--lease', '2', ...words];
      expect((await stage.run(['fleet', 'run', 'tasks.jsonl', '--workers', '1', ...flags])).code).toBe(55);
      const [question] = linesOf((await stage.run(['fleet', 'questions', '--json', ...words])).stdout);
      await stage.run(['fleet', 'answer', String(question!['id']), 'yes', ...words]);
      const first = startMachine('first', ['--slots', '1', '--until-empty', ...flags]);
      await expect.poll(() => runs(sleeping), { timeout: 30_000 }).toBe(true);
      first.kill('SIGKILL');
      await ended(startMachine('second', ['--slots', '1', '--until-empty', ...flags]));
      const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json', ...words]);
      expect(linesOf(stdout)[1]).toMatchObject({ state: 'done', crashes: 1, attempts: 3 });
      expect(stage.server.requests.at(-1)!.bytes.toString()).toContain(
        'The call was interrupted before it gave a result.',
      );
      expect(stage.server.requests).toHaveLength(2);
    },
  );

  it('lets every machine wait when the provider tells one of them when to come back', async () => {
    const seen: { at: number; refused: boolean }[] = [];
    const answer = () => {
      const refused = seen.length === 3;
      seen.push({ at: performance.now(), refused });
      return refused
        ? { status: 429, headers: { 'retry-after': '2' }, body: { error: { message: 'slow down' } } }
        : { text: 'Done.' };
    };
    stage = await openStage({ otherwise: answer });
    const words = await engineWords(engines.at(-1)!);
    const rows = Array.from({ length: 12 }, (_, index) => `{"prompt": "say ${index}"}\n`);
    writeFileSync(join(stage.machine.workspace, 'tasks.jsonl'), rows.join(''));
    await stage.run(['fleet', 'submit', 'tasks.jsonl', ...words]);
    const flags = ['--slots', '1', '--until-empty', ...words];
    await Promise.all(['a', 'b', 'c'].map((name) => ended(startMachine(name, flags))));
    const { stdout } = await stage.run(['fleet', 'status', '--json', ...words]);
    expect(linesOf(stdout)[0]).toMatchObject({ states: { done: 12, failed: 0 } });
    const refused = seen.find((each) => each.refused)!;
    // Results that were on their way when the word came still arrive; each machine has one slot.
    const during = seen.filter(({ at }) => at > refused.at && at < refused.at + 1_900);
    expect(during.length).toBeLessThanOrEqual(2);
    expect(seen).toHaveLength(13);
  });
});
