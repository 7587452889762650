import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock, createIds } from '../../host/node-host.js';
import { openState } from '../../host/state/state.js';
import { createWorkspace } from '../../host/workspace.js';
import { createStagedRuns } from './create-staged-runs.js';
import { createTempStaged, isRoot, never, type TempStaged } from './fixtures/temp-staged.js';

let temporary: TempStaged;
beforeEach(() => {
  temporary = createTempStaged({ content: { 'a.txt': 'one\n' } });
});
afterEach(() => temporary.cleanup());

describe('the question whether commands can be staged', () => {
  it('is answered with no where the state folder lies in the workspace', async () => {
    const state = openState({
      path: temporary.path('.state'),
      host: { clock: createClock(), ids: createIds() },
    });
    const staged = createStagedRuns({ ...temporary.needs, state });
    const path = temporary.path('.state');
    expect(await staged.possible(never)).toEqual({
      possible: false,
      why: `Commands can't run on a copy of the workspace here: the state folder ${path} lies inside ${temporary.directory}; set TOOLWRIGHT_HOME to a folder elsewhere.`,
    });
    await expect(staged.run(temporary.launch('true'), { signal: never })).rejects.toMatchObject({
      code: 'failed',
    });
  });

  it('is answered with no where the workspace is everything', async () => {
    const staged = createStagedRuns({ ...temporary.needs, workspace: createWorkspace({ directory: '/' }) });
    expect(await staged.possible(never)).toMatchObject({
      why: "Commands can't run on a copy of the workspace here: the workspace is the whole file system.",
    });
  });

  it.runIf(isRoot)(
    'is answered with no, before anything runs, where something is mounted in the workspace',
    async () => {
      const inner = temporary.path('in ner');
      mkdirSync(inner);
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', inner]);
      try {
        expect(await temporary.staged.possible(never)).toEqual({
          possible: false,
          why: `Commands can't run on a copy of the workspace here: ${inner} inside ${temporary.directory} is a file system of its own, which an overlay does not reach.`,
        });
      } finally {
        execFileSync('umount', [inner]);
      }
      expect(await temporary.staged.possible(never)).not.toMatchObject({
        why: expect.stringContaining(inner),
      });
    },
  );

  it.runIf(isRoot)(
    'is answered with no where the state folder is on a file system that can hold no layer',
    async () => {
      const disk = temporary.state.path;
      const [lower, upper, work] = ['l', 'u', 'w'].map((name) => join(temporary.outside, name));
      for (const folder of [disk, lower!, upper!, work!]) mkdirSync(folder, { mode: 0o700 });
      execFileSync('mount', [
        '-t',
        'overlay',
        'overlay',
        '-o',
        `lowerdir=${lower},upperdir=${upper},workdir=${work}`,
        disk,
      ]);
      try {
        expect(await temporary.staged.possible(never)).toMatchObject({
          possible: false,
          why: expect.stringContaining(
            "Commands can't run on a copy of the workspace here: an overlay can't be mounted here (",
          ),
        });
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );

  it('is answered with no where no folder can be made for a run, and asked again later', async () => {
    const runs = join(await temporary.state.make('stage'), 'runs');
    writeFileSync(runs, '');
    expect(await temporary.staged.possible(never)).toEqual({
      possible: false,
      why: `Commands can't run on a copy of the workspace here: The state folder ${temporary.state.path} can't be used: a file is in the way. Change its owner or mode, or set TOOLWRIGHT_HOME to a folder of your own.`,
    });
    rmSync(runs);
    expect(await temporary.staged.possible(never)).not.toMatchObject({
      why: expect.stringContaining('a file is in the way'),
    });
  });

  it('is tried once', async () => {
    await temporary.staged.possible(never);
    await temporary.state.make('stage', 'runs');
    const first = temporary.staged.possible(never);
    expect(temporary.leftovers().folders).toBe(0);
    expect(await first).toEqual(await temporary.staged.possible(never));
  });

  it('is asked again after it was cancelled', async () => {
    const controller = new AbortController();
    controller.abort({ kind: 'user' });
    await expect(temporary.staged.possible(controller.signal)).rejects.toEqual({ kind: 'user' });
    expect(await temporary.staged.possible(never)).toHaveProperty('possible');
  });
});
