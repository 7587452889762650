import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeTree } from '../../packages/machine/src/changes/staged-run/fixtures/describe-tree.js';
import { leftoversOf } from '../../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { removeTree } from '../../packages/machine/src/host/leases/owned-folder.js';
import { bundle } from '../kill-commit/kill.js';
import { openApartAt } from './start.js';

export interface StepKills {
  /** Changes of the disk that keeping consists of. */
  steps: number;
  kills: number;
  /** Kills after which the workspace was as before, and as kept, once the next program had started. */
  before: number;
  after: number;
  /** The kills that ended in any other way (neither state, something lost or left), with the number of the step. */
  wrong: string[];
}

/** A mount in the workspace lets sessions apart work on a plain copy. */
export type Ground = 'overlay' | 'copy';

const BEFORE = `
mkdir -p d/deep gone/inner; printf 'one\\ntwo\\n' > a; printf a > d/deep/b; printf c > gone/inner/c; printf d > gone/d
printf 'file\\n' > swap; mkdir other; printf in > other/in; ln -s a link; chmod 600 a; mkdir mounted`;

/** Creates, modifies, deletes, swaps kinds, changes a mode and a link. */
const WORK = `
printf 'one\\nTWO\\n' > a; chmod 755 d/deep/b; rm -r gone; rm swap; mkdir swap; printf x > swap/x; printf y > swap/y
rm -r other; printf 'no folder' > other; rm link; ln -s d link; mkdir -p new/er empty; printf n > new/er/n; printf z > z`;

const { signal } = new AbortController();

/** Kills a program at each step of keeping, or at every so manyth, and looks what the next one finds. */
export async function killAtSteps(ground: Ground, every = 1): Promise<StepKills> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-kill-steps-')));
  try {
    const program = await bundle(new URL('./step-child.ts', import.meta.url), base);
    const tally: StepKills = { steps: 0, kills: 0, before: 0, after: 0, wrong: [] };
    const whole = keepUntil(program, Number.MAX_SAFE_INTEGER, await makeWorld(base, ground));
    await removeWorld(base, ground);
    tally.steps = Number(/kept in (\d+)/.exec(whole)?.[1] ?? 0);
    for (let step = 1; step <= tally.steps; step += every)
      await killAt(step, { program, base, ground }, tally);
    return tally;
  } finally {
    await removeTree(base);
  }
}

async function killAt(
  step: number,
  { program, base, ground }: { program: string; base: string; ground: Ground },
  tally: StepKills,
): Promise<void> {
  const world = await makeWorld(base, ground);
  try {
    const id = /apart (\S+)/.exec(keepUntil(program, step, world))?.[1] ?? '';
    tally.kills += 1;
    const found = await lookAfter(world, id);
    if (found === null) tally.wrong.push(`step ${step}: the workspace is torn`);
    else tally[found] += 1;
    const problem = await goOn(world, id);
    if (problem !== null) tally.wrong.push(`step ${step}: ${problem}`);
  } finally {
    await removeWorld(base, ground);
  }
}

interface World {
  base: string;
  before: string;
  after: string;
}

async function makeWorld(base: string, ground: Ground): Promise<World> {
  const workspace = join(base, 'workspace');
  const trees = ['expected', 'workspace'].map((name) => {
    const folder = join(base, name);
    mkdirSync(folder);
    const commands = name === 'expected' ? `${BEFORE}\n${WORK}` : BEFORE;
    execFileSync('bash', ['-c', commands], { cwd: folder, stdio: 'ignore' });
    return describeTree(folder).join('\n');
  });
  await removeTree(join(base, 'expected'));
  if (ground === 'copy')
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', join(workspace, 'mounted')]);
  return { base, before: trees[1]!, after: trees[0]! };
}

async function removeWorld(base: string, ground: Ground): Promise<void> {
  if (ground === 'copy') execFileSync('umount', [join(base, 'workspace', 'mounted')]);
  for (const name of ['workspace', 'state']) await removeTree(join(base, name));
}

/** The output of the program, which ends itself at the step. */
function keepUntil(program: string, step: number, { base }: World): string {
  const args = [program, base, String(step), WORK];
  const {
    stdout,
    stderr,
    signal: killedBy,
    status,
  } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0 && killedBy !== 'SIGKILL') throw new Error(`the program ended with ${status}: ${stderr}`);
  return stdout;
}

function workspaceOf({ base }: World): string {
  return describeTree(join(base, 'workspace')).join('\n');
}

/** Starts the next program in the workspace, apart as before or not at all, and names the state it finds. */
async function lookAfter(world: World, id: string): Promise<'before' | 'after' | null> {
  const toolbox = await openApartAt(world.base, hasWork(world, id) ? id : null);
  try {
    const found = workspaceOf(world);
    return found === world.before ? 'before' : found === world.after ? 'after' : null;
  } finally {
    await toolbox.close();
  }
}

function hasWork({ base }: World, id: string): boolean {
  return existsSync(join(base, 'state', 'apart', id));
}

/** Keeps what still waits; then all work must be in the workspace, and nothing left of the session. */
async function goOn(world: World, id: string): Promise<string | null> {
  if (hasWork(world, id)) {
    const toolbox = await openApartAt(world.base, id);
    try {
      const { review, refused } = await toolbox.apart.review(signal);
      if (refused.length > 0) return `refused ${JSON.stringify(refused)}`;
      const { conflicts } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
      if (conflicts.length > 0) return `conflicts ${JSON.stringify(conflicts)}`;
    } finally {
      await toolbox.close();
    }
  }
  if (workspaceOf(world) !== world.after) return 'work is lost';
  if (hasWork(world, id)) return 'the session apart is still there';
  const { folders, processes } = leftoversOf(join(world.base, 'workspace'), join(world.base, 'state'));
  return folders + processes > 0 ? `left behind: ${folders} folders, ${processes} processes` : null;
}
