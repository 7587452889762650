import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeTree } from '../../packages/machine/src/changes/staged-run/fixtures/describe-tree.js';
import { canStage, leftoversOf } from '../../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { removeTree } from '../../packages/machine/src/host/leases/owned-folder.js';
import { bundle } from '../kill-commit/kill.js';
import { generation } from '../kill-staged/generations.js';
import { openApartAt } from './start.js';

export interface ApartKills {
  untried?: string;
  kills: number;
  during: { run: number; keep: number };
  /** Times when the workspace was neither as before nor as kept. */
  tornWorkspaces: number;
  /** Times when the view was neither as before the command nor as after it. */
  tornViews: number;
  /** Work that could not be kept after the restart. */
  conflicts: number;
  /** Times when keeping everything after the restart left something else than the view held. */
  lost: number;
  leftovers: { mounts: number; folders: number; processes: number };
}

const { signal } = new AbortController();

/** Kills a session apart at random moments; each time goes on with it, keeps everything, and compares. */
export async function killApart(kills: number): Promise<ApartKills> {
  const tally: ApartKills = {
    kills: 0,
    during: { run: 0, keep: 0 },
    tornWorkspaces: 0,
    tornViews: 0,
    conflicts: 0,
    lost: 0,
    leftovers: { mounts: 0, folders: 0, processes: 0 },
  };
  if (!(await canStage())) return { ...tally, untried: 'there are no overlays here' };
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-kill-apart-')));
  const world: World = { base, id: '', kept: 0, seen: 0, next: 1, trees: new Map() };
  try {
    mkdirSync(join(base, 'workspace'));
    execFileSync('bash', ['-c', generation(0)], { cwd: join(base, 'workspace'), stdio: 'ignore' });
    const program = await bundle(new URL('./child.ts', import.meta.url), base);
    for (let count = 0; count < kills; count++) {
      await killOnce({ program, aim: count % 2 === 0 ? 'run' : 'keep' }, world, tally);
      await goOn(world, tally);
    }
    return tally;
  } finally {
    await removeTree(base);
  }
}

interface World {
  base: string;
  /** Of the session apart. */
  id: string;
  /** Generations that the workspace and the view are known to hold. */
  kept: number;
  seen: number;
  next: number;
  trees: Map<number, string>;
}

async function killOnce(killing: Killing, world: World, tally: ApartKills): Promise<void> {
  const { base } = world;
  const lines = await runUntilKilled(killing, world);
  const numberOf = (word: string): number | undefined => {
    const line = lines.findLast((each) => each.startsWith(`${word} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  world.id = lines.find((line) => line.startsWith('apart '))?.split(' ')[1] ?? world.id;
  world.kept = numberOf('kept') ?? world.kept;
  const [running = 0, keeping = 0] = [numberOf('run'), numberOf('keep')];
  const isKeeping = lines.at(-1)?.startsWith('keep ') ?? false;
  tally.kills += 1;
  tally.during[isKeeping ? 'keep' : 'run'] += 1;
  world.seen = numberOf('ran') ?? world.seen;
  world.next = running + 1;
  const settledLeft = await settled(base);
  for (const kind of ['mounts', 'processes'] as const) tally.leftovers[kind] += settledLeft[kind];
  if (world.id === '') return;
  const toolbox = await openApartAt(base, world.id);
  const workspace = generationOf(describeTree(join(base, 'workspace')), [world.kept, keeping], world);
  if (workspace === null) tally.tornWorkspaces += 1;
  // It may have been killed between the last step of keeping and its answer.
  world.kept = workspace ?? world.kept;
  const place = toolbox.host.workspace.place.at(join(base, 'workspace'));
  const view = generationOf(describeTree(place), [world.seen, running], world);
  if (view === null) tally.tornViews += 1;
  world.seen = view ?? world.seen;
  await toolbox.close();
  forgetIfGone(world);
}

/** Keeps everything that waits. */
async function goOn(world: World, tally: ApartKills): Promise<void> {
  if (world.id === '') return;
  const toolbox = await openApartAt(world.base, world.id);
  const { review } = await toolbox.apart.review(signal);
  const { conflicts } = await toolbox.apart.keep({ digest: review.digest, choice: 'all' }, signal);
  tally.conflicts += conflicts.length;
  const kept = generationOf(describeTree(join(world.base, 'workspace')), [world.seen], world);
  if (kept === null) tally.lost += 1;
  world.kept = world.seen;
  await toolbox.close();
  forgetIfGone(world);
  const left = leftoversOf(join(world.base, 'workspace'), join(world.base, 'state'));
  for (const kind of ['mounts', 'folders', 'processes'] as const) tally.leftovers[kind] += left[kind];
}

/** A session apart in which nothing waits is gone with its program. */
function forgetIfGone(world: World): void {
  if (existsSync(join(world.base, 'state', 'apart', world.id))) return;
  world.id = '';
  world.seen = world.kept;
}

function generationOf(tree: string[], numbers: number[], world: World): number | null {
  return numbers.find((number) => expectedTree(number, world) === tree.join('\n')) ?? null;
}

function expectedTree(number: number, { base, trees }: World): string {
  const known = trees.get(number);
  if (known !== undefined) return known;
  const folder = join(base, `expected-${number}`);
  mkdirSync(folder);
  execFileSync('bash', ['-c', generation(number)], { cwd: folder, stdio: 'ignore' });
  const tree = describeTree(folder).join('\n');
  trees.set(number, tree);
  return tree;
}

/** Waits for the kernel or the watchdog, which take a moment to end things after a kill. */
async function settled(base: string): Promise<ApartKills['leftovers']> {
  for (let tries = 0; ; tries++) {
    const left = leftoversOf(join(base, 'workspace'), join(base, 'state'));
    if (left.mounts + left.processes === 0 || tries === 60) return left;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Killing {
  program: string;
  aim: 'run' | 'keep';
}

const WINDOW_MS = { run: 900, keep: 120 };

/** Lets it reach what is aimed at, then kills it a random moment later. */
function runUntilKilled({ program, aim }: Killing, { base, id, next }: World): Promise<string[]> {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  return new Promise((resolve, reject) => {
    const args = [program, base, seed, id, String(next)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    child.stderr.on('data', (data) => (errors += data));
    child.stdout.on('data', (data) => {
      output += data;
      if (!output.includes(`${aim} `)) return;
      timer ??= setTimeout(() => child.kill('SIGKILL'), Math.random() * WINDOW_MS[aim]);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      if (killedBy === 'SIGKILL') resolve(output.split('\n').slice(0, -1));
      else reject(new Error(`the child ended by itself with ${code}: ${errors}`));
    });
  });
}
