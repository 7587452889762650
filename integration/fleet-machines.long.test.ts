import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { natsMissing } from '../packages/fleet/src/fixtures/nats-server.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { ended, engines, type Machines, openMachines, runs, SECRET } from './fleet/machines.js';
import { linesOf, openStage, type Stage } from './headless/run.js';
import { createSlowLook } from './headless/slow-look.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: the fleet was not tried');
if (natsMissing !== null)
  console.log(`evidence: the fleet on several machines was not tried: ${natsMissing}`);

let stage: Stage;
let machines: Machines;
afterEach(async () => {
  await machines.close();
  await stage.close();
});

/** Files below a folder whose bytes hold the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

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
      machines = await openMachines(kind, stage);
      await machines.submit({ prompt: 'make files' });
      const flags = ['--approval-mode', 'yolo', '--until-empty'];
      const first = machines.start('first', flags);
      await expect.poll(() => stage.server.requests.length, { timeout: 30_000 }).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 500));
      first.kill('SIGKILL');
      await ended(machines.start('second', flags));
      const [record] = await machines.records();
      expect(record).toMatchObject({
        state: 'done',
        crashes: 1,
        attempts: 2,
        outcome: { leftOut: ['first.txt: it holds a secret of this machine'] },
      });
      expect(stage.server.requests[2]!.bytes.toString()).toContain(
        'The call was interrupted before it gave a result.',
      );
      await stage.run(['fleet', 'collect', '--directory', 'out', ...machines.words]);
      const [patch] = readdirSync(join(stage.machine.workspace, 'out'));
      const text = readFileSync(join(stage.machine.workspace, 'out', patch!), 'utf8');
      expect(text).toContain('+plain\n');
      expect(text).not.toContain('again');
      expect(text).not.toContain('ignored.txt b/');
      expect(filesWith(machines.store, 'make files').length).toBeGreaterThan(0);
      expect(filesWith(machines.store, SECRET)).toEqual([]);
    },
  );

  it.each(engines)('reads again where a machine was lost in the middle of a read, %s', async (kind) => {
    stage = await openStage({ otherwise: { text: 'I see.' } });
    const look = createSlowLook(stage.machine);
    machines = await openMachines(kind, stage);
    for (const name of ['first', 'second']) look.install(machines.home(name));
    stage.server.answer({ calls: [look.call] });
    await machines.submit({ prompt: 'look' });
    const first = machines.start('first', ['--until-empty']);
    await expect.poll(() => look.begun(), { timeout: 30_000 }).toBe(1);
    first.kill('SIGKILL');
    look.letGo();
    await ended(machines.start('second', ['--until-empty']));
    expect(await machines.records()).toMatchObject([{ state: 'done', crashes: 1, attempts: 2 }]);
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
      machines = await openMachines(kind, stage);
      const { words } = machines;
      stage.machine.write('tasks.jsonl', '{"prompt": "run it"}\n');
      const run = ['fleet', 'run', 'tasks.jsonl', '--workers', '1', '--lease', '2'];
      expect((await stage.run([...run, ...words])).code).toBe(55);
      const [question] = linesOf((await stage.run(['fleet', 'questions', '--json', ...words])).stdout);
      await stage.run(['fleet', 'answer', String(question!['id']), 'yes', ...words]);
      const first = machines.start('first', ['--until-empty']);
      await expect.poll(() => runs(sleeping), { timeout: 30_000 }).toBe(true);
      first.kill('SIGKILL');
      await ended(machines.start('second', ['--until-empty']));
      expect(await machines.records()).toMatchObject([{ state: 'done', crashes: 1, attempts: 3 }]);
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
    machines = await openMachines(engines.at(-1)!, stage);
    await machines.submit(...Array.from({ length: 12 }, (_, index) => ({ prompt: `say ${index}` })));
    await Promise.all(['a', 'b', 'c'].map((name) => ended(machines.start(name, ['--until-empty']))));
    const { stdout } = await stage.run(['fleet', 'status', '--json', ...machines.words]);
    expect(linesOf(stdout)[0]).toMatchObject({ states: { done: 12, failed: 0 } });
    const refused = seen.find((each) => each.refused)!;
    // Results that were on their way when the word came still arrive; each machine has one slot.
    const during = seen.filter(({ at }) => at > refused.at && at < refused.at + 1_900);
    expect(during.length).toBeLessThanOrEqual(2);
    expect(seen).toHaveLength(13);
  });
});
