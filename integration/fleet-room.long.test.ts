import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { ended, type Machines, openMachines } from './fleet/machines.js';
import { openMemoryGroup } from './fleet/memory-group.js';
import { openStage, type Stage } from './headless/run.js';

const MB = 1_000_000;
const canTry = await canStage();
const group = canTry ? openMemoryGroup(600 * MB) : 'no overlays here';
if (typeof group === 'string') console.log(`evidence: a worker with little memory was not tried: ${group}`);

let stage: Stage;
let machines: Machines;
afterEach(async () => {
  await machines.close();
  await stage.close();
  if (typeof group !== 'string') group.remove();
});

/** Holds 250 MB for some seconds. */
const hungry = {
  name: 'run_shell_command',
  arguments: {
    command: `node -e "const held = Buffer.alloc(${250 * MB}, 1); setTimeout(() => console.log(held.length), 4000)"`,
  },
};

describe.runIf(typeof group !== 'string')('a worker in a control group of 600 MB', () => {
  it('takes the next of its tasks, which need 250 MB each, when it has the room, and none is killed', async () => {
    if (typeof group === 'string') return;
    // Each task says which it is, so its first request has one message of the user and no more.
    const answer = ({ body }: { body: Record<string, unknown> }) =>
      (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool')
        ? { text: 'Done.' }
        : { calls: [hungry] };
    stage = await openStage({ otherwise: answer });
    machines = await openMachines('files', stage);
    await machines.submit({ prompt: 'one' });
    const worker = machines.start('small', ['--slots', '3', '--approval-mode', 'yolo'], group.prefix);
    let said = '';
    worker.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
    });
    await expect.poll(async () => (await machines.records())[0]?.['state'], { timeout: 30_000 }).toBe('done');
    await machines.submit({ prompt: 'two' }, { prompt: 'three' }, { prompt: 'four' });
    await expect
      .poll(async () => (await machines.records()).filter(({ state }) => state === 'done').length, {
        timeout: 90_000,
      })
      .toBe(4);
    worker.kill('SIGINT');
    await ended(worker);
    console.log(
      `evidence: a worker in a control group of 600 MB, at most ${(group.most() / MB).toFixed(0)} MB in use, killed by the kernel ${group.kills()}: ${said.trim()}`,
    );
    expect(said).toMatch(
      /No further task is taken while less memory is free than one has needed here \(\d{3} MB\)\./,
    );
    expect(group.kills()).toBe(0);
    expect((await machines.records()).map(({ crashes }) => crashes)).toEqual([0, 0, 0, 0]);
  });
});
