import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { leftIn, nothingLeft } from './apart/leftovers.js';
import { ended, engines, type Machines, openMachines, runs } from './fleet/machines.js';
import { linesOf, openStage, type Stage } from './headless/run.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: how tasks end was not tried');

let stage: Stage;
let machines: Machines;
afterEach(async () => {
  await machines.close();
  await stage.close();
});

// A number of its own finds its process.
const sleeping = `sleep 61.${process.pid}`;
const sleep = { name: 'run_shell_command', arguments: { command: `${sleeping}; echo slept > slept.txt` } };

describe.runIf(canTry)('a task', () => {
  it.each(engines)(
    'that lost its worker before anything was kept begins anew, also on the same machine, %s',
    async (kind) => {
      stage = await openStage({ answers: [{ instead: 'silence' }], otherwise: { text: 'I see.' } });
      machines = await openMachines(kind, stage);
      await machines.submit({ prompt: 'say' });
      const worker = machines.start('one');
      await expect.poll(() => stage.server.requests.length, { timeout: 30_000 }).toBe(1);
      worker.kill('SIGKILL');
      await ended(machines.start('one', ['--until-empty']));
      expect(await machines.records()).toMatchObject([{ state: 'done', crashes: 1, attempts: 2 }]);
      expect(stage.server.requests).toHaveLength(2);
    },
  );

  it.each(engines)(
    'that runs ends soon after it is cancelled, leaves nothing behind, and its worker takes the next one, %s',
    async (kind) => {
      stage = await openStage({ answers: [{ calls: [sleep] }], otherwise: { text: 'I see.' } });
      machines = await openMachines(kind, stage);
      await machines.submit({ prompt: 'sleep' }, { prompt: 'say' });
      const worker = machines.start('first', ['--approval-mode', 'yolo', '--until-empty']);
      await expect.poll(() => runs(sleeping), { timeout: 30_000 }).toBe(true);
      const { stdout } = await stage.run(['fleet', 'status', '--tasks', '--json', ...machines.words]);
      const [running] = linesOf(stdout).slice(1) as { task: { id: string }; state: string }[];
      expect(running?.state).toBe('running');
      const cancelled = stage
        .run(['fleet', 'cancel', running!.task.id, ...machines.words])
        .then(() => performance.now());
      await expect.poll(() => runs(sleeping), { timeout: 20_000, interval: 20 }).toBe(false);
      const ms = performance.now() - (await cancelled);
      await ended(worker);
      console.log(
        `evidence: ${kind}: the command of a cancelled task ended ${ms.toFixed(0)} ms after fleet cancel had ended`,
      );
      expect((await machines.records()).map(({ state }) => state)).toEqual(['cancelled', 'done']);
      const state = join(machines.home('first'), '.toolwright');
      expect(leftIn({ workspace: stage.machine.workspace, state })).toEqual(nothingLeft);
      expect(readdirSync(stage.machine.workspace).sort()).toEqual(['a.txt', 'src', 'tasks.jsonl']);
    },
  );

  it.each(engines)(
    'that ends six workers is put aside, told by its name, and tried again when the user wants it, %s',
    async (kind) => {
      let isDeadly = true;
      stage = await openStage({ otherwise: () => (isDeadly ? { calls: [sleep] } : { text: 'I see.' }) });
      machines = await openMachines(kind, stage);
      await machines.submit({ prompt: 'sleep' });
      for (let kills = 1; kills <= 6; kills++) {
        const worker = machines.start('one', ['--approval-mode', 'yolo']);
        await expect.poll(() => runs(sleeping), { timeout: 60_000 }).toBe(true);
        worker.kill('SIGKILL');
        await ended(worker);
        await expect.poll(() => runs(sleeping), { timeout: 20_000 }).toBe(false);
      }
      const requests = stage.server.requests.length;
      await ended(machines.start('one', ['--until-empty']));
      const status = await stage.run(['fleet', 'status', ...machines.words]);
      expect(status.stdout).toMatch(
        /^1 poison\nlast failure: \w+: 6 workers ended while they worked on it\.\n$/,
      );
      expect(stage.server.requests).toHaveLength(requests);
      isDeadly = false;
      const [{ task }] = (await machines.records()) as [{ task: { id: string } }];
      expect((await stage.run(['fleet', 'retry', task.id, ...machines.words])).stdout).toBe(
        '1 task put into the queue again.\n',
      );
      await ended(machines.start('one', ['--until-empty']));
      expect(await machines.records()).toMatchObject([{ state: 'done', outcome: { response: 'I see.' } }]);
      const state = join(machines.home('one'), '.toolwright');
      expect(leftIn({ workspace: stage.machine.workspace, state })).toEqual(nothingLeft);
    },
  );
});
