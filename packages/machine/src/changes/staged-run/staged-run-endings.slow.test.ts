import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownLease } from '../../host/leases/lease.js';
import { unconfined } from '../../host/sandbox/unconfined.js';
import { isEmptyChangeSet } from '../change-set.js';
import { createStagedRuns } from './create-staged-runs.js';
import { canStage, createTempStaged, isRoot, never, type TempStaged } from './fixtures/temp-staged.js';

const start = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'dir/c.txt': 'sea\n' };
const clean = { mounts: 0, folders: 0, processes: 0 };

let temporary: TempStaged;
beforeEach(() => {
  temporary = createTempStaged({ content: start });
});
afterEach(async () => {
  expect(temporary.leftovers()).toEqual(clean);
  await temporary.cleanup();
});

const here = await canStage();

describe.runIf(here)('a cancel', () => {
  it('at any stage leaves the workspace as it was, and no mount, folder or process', async () => {
    const launch = temporary.launch('rm -r dir; for n in 1 2 3 4 5 6; do echo $n > $n; done; sleep 0.03');
    await temporary.staged.possible(never);
    const begun = performance.now();
    await (await temporary.staged.run(launch, { signal: never })).drop();
    const wholeMs = performance.now() - begun;
    let outcomes = { thrown: 0, notKept: 0, kept: 0 };
    for (let moment = 0; moment < 20; moment++) {
      const delayMs = (moment / 15) * wholeMs;
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort({ kind: 'user' }), delayMs);
      try {
        const run = await temporary.staged.run(launch, { signal: controller.signal });
        outcomes =
          run.notKept === null
            ? { ...outcomes, kept: outcomes.kept + 1 }
            : { ...outcomes, notKept: outcomes.notKept + 1 };
        await run.drop();
      } catch (error) {
        expect(error).toEqual({ kind: 'user' });
        outcomes = { ...outcomes, thrown: outcomes.thrown + 1 };
      } finally {
        clearTimeout(timer);
      }
      expect(temporary.tree()).toEqual(start);
      expect(temporary.leftovers()).toEqual(clean);
    }
    console.log(
      `evidence: cancelled at 20 moments: ${outcomes.thrown} before the command, ${outcomes.notKept} during it, ${outcomes.kept} too late; leftovers 0`,
    );
    expect(outcomes.thrown + outcomes.notKept).toBeGreaterThan(0);
  });

  it('before or while the overlay is made lets no command run', async () => {
    await temporary.staged.possible(never);
    for (const delayMs of [0, 1, 5, 10]) {
      const controller = new AbortController();
      const run = temporary.staged.run(temporary.launch('echo ran > ran'), {
        signal: controller.signal,
        confinement: {
          profile: { workspace: 'writable', roots: [temporary.directory], network: 'off' },
          sandbox: {
            async confine(launch) {
              setTimeout(() => controller.abort({ kind: 'user' }), delayMs);
              if (delayMs === 0) await new Promise((resolve) => setTimeout(resolve, 5));
              return unconfined(launch, { confined: false, sentence: 'not confined', program: null }, 'auto');
            },
          },
        },
      });
      const outcome = await run.then(
        ({ notKept, drop }) => drop().then(() => notKept),
        (error) => error,
      );
      expect([
        null,
        { kind: 'user' },
        'The command was cancelled; what it had changed so far was dropped.',
      ]).toContainEqual(outcome);
      if (delayMs === 0) expect(outcome).toEqual({ kind: 'user' });
      expect(temporary.tree()).toEqual(start);
      expect(temporary.leftovers()).toEqual(clean);
    }
  });

  it('of the command keeps what it printed', async () => {
    const controller = new AbortController();
    const run = await temporary.staged.run(temporary.launch('rm a.txt; echo begun; sleep 30'), {
      signal: controller.signal,
      onOutput: () => controller.abort({ kind: 'user' }),
    });
    expect(run.ended).toMatchObject({ stopped: { kind: 'user' }, stdout: { head: 'begun\n' } });
    expect(run.notKept).toBe('The command was cancelled; what it had changed so far was dropped.');
    expect(temporary.tree()).toEqual(start);
  });

  it('of the commit takes back what was done', async () => {
    const run = await temporary.run('rm a.txt; echo two > b.txt; echo n > n');
    const controller = new AbortController();
    controller.abort({ kind: 'user' });
    await expect(run.keep({ signal: controller.signal })).rejects.toEqual({ kind: 'user' });
    expect(temporary.tree()).toEqual(start);
  });
});

describe.runIf(here)('the end of a run', () => {
  it('at the time limit still gives what was done, for the user to decide', async () => {
    const run = await temporary.staged.run(temporary.launch('echo n > n; sleep 30'), {
      signal: never,
      timeoutMs: 300,
    });
    expect(run.ended.stopped).toMatchObject({ kind: 'timeout' });
    expect(run.planned.changeSet.changes.map(({ kind }) => kind)).toEqual(['create']);
    await run.drop();
  });

  it('ends what the command left running, before anything is looked at', async () => {
    const run = await temporary.run(
      `setsid bash -c 'for n in $(seq 1 500); do echo $n > late-$n; sleep 0.01; done' > /dev/null 2>&1 & sleep 0.1`,
    );
    const blobs = run.planned.changeSet.changes.flatMap((change) =>
      change.kind === 'create' ? [change.after.hash] : [],
    );
    expect(blobs.length).toBeGreaterThan(0);
    for (const hash of blobs) await run.planned.blobs.read(hash);
    expect(temporary.leftovers()).toEqual({ ...clean, folders: 1 });
    await run.drop();
    expect(temporary.tree()).toEqual(start);
  });

  it('does not lose the output when too much was touched', async () => {
    const staged = createStagedRuns({ ...temporary.needs, mostPlaces: 1000 });
    const launch = temporary.launch('echo said; mkdir many; cd many; seq 1 1001 | xargs touch');
    const run = await staged.run(launch, { signal: never });
    expect(run.ended.stdout.head).toBe('said\n');
    expect(run.notKept).toBe(
      'The command touched more than 1,000 files, more than can be looked at; none of it was kept. Let it do less at a time.',
    );
  });

  it('does not lose the output when a path is too long to be looked at', async () => {
    const name = 'd'.repeat(200);
    const launch = temporary.launch(
      `echo said; for n in $(seq 25); do mkdir ${name} && cd ${name} || break; done; echo x > file`,
    );
    const run = await createStagedRuns(temporary.needs).run(launch, { signal: never });
    expect(run.ended.stdout.head).toBe('said\n');
    expect(run.notKept).toMatch(/so deep that what is in them can.t be looked at/);
    await run.drop();
  });
});

describe.runIf(here && isRoot)('a disk that is too small', () => {
  it('is noticed while the command runs: it is stopped, and nothing is lost', async () => {
    await onSmallDisk(32, async (small) => {
      const run = await small.run(
        'for n in $(seq 1 100); do head -c 1000000 /dev/zero >> a.txt; sleep 0.02; done',
      );
      expect(run.notKept).toBe(
        'The command was stopped because the disk that holds its changes was nearly full. Nothing was changed in the workspace; make room, or let it do less.',
      );
      expect(run.ended.stopped).toMatchObject({ kind: 'limit' });
      expect(small.tree()).toEqual(start);
      expect(small.leftovers()).toEqual(clean);
    });
  });

  it('is noticed before the command runs', async () => {
    await onSmallDisk(8, async (small) => {
      const filler = small.state.pathOf('filler');
      await small.staged.possible(never);
      execFileSync('bash', ['-c', `head -c 8200000 /dev/zero > "${filler}"`]);
      await expect(small.run('echo x > x')).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringContaining('is nearly full (0 MB free, 0 MB are left alone); make room there'),
      });
      expect(small.leftovers()).toEqual(clean);
    });
  });
});

async function onSmallDisk(megabytes: number, act: (small: TempStaged) => Promise<void>): Promise<void> {
  const small = createTempStaged({ content: start });
  const disk = small.state.path;
  mkdirSync(disk, { recursive: true, mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', disk]);
  try {
    await act(small);
  } finally {
    execFileSync('umount', [disk]);
    await small.cleanup();
  }
}

describe('a start', () => {
  it('removes the stage folders of dead processes and leaves those of the living', async () => {
    const runs = await temporary.state.make('stage', 'runs');
    const owner = await ownLease();
    const make = (name: string, mark: unknown) => {
      mkdirSync(join(runs, name, 'work-0', 'work'), { recursive: true });
      writeFileSync(join(runs, name, 'owner.json'), JSON.stringify(mark));
    };
    make('living', owner);
    make('dead', { ...owner, pid: 2 ** 22 + 1, start: '1' });
    make('elsewhere', { ...owner, boot: 'another', host: 'another' });
    make('long-elsewhere', { ...owner, boot: 'another', host: 'another' });
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    utimesSync(join(runs, 'long-elsewhere'), longAgo, longAgo);
    await createStagedRuns(temporary.needs).sweep();
    expect(readdirSync(runs).sort()).toEqual(['elsewhere', 'living']);
    for (const name of readdirSync(runs)) execFileSync('rm', ['-r', join(runs, name)]);
  });

  it('has nothing to do where there is no stage folder', async () => {
    await temporary.staged.sweep();
    expect(existsSync(temporary.state.path)).toBe(false);
  });
});

describe.runIf(here)('an empty result', () => {
  it('is kept without a commit', async () => {
    const run = await temporary.run('true');
    const kept = await run.keep({ signal: never });
    expect(isEmptyChangeSet(kept)).toBe(true);
    expect(temporary.recorded).toEqual([]);
  });
});
