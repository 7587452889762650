import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeTree } from '../../packages/machine/src/changes/staged-run/fixtures/describe-tree.js';
import { leftoversOf } from '../../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { bundle } from '../kill-commit/kill.js';
import { readJournal } from '../kill-commit/start.js';
import { generation } from './generations.js';
import { startStaged } from './start.js';

type Doing = 'run' | 'commit' | 'undo';

export interface Tally {
  untried?: string;
  kills: number;
  /** The work of the process when it died. */
  during: Record<Doing, number>;
  takenBack: number;
  finished: number;
  torn: number;
  answered: number;
  answeredLost: number;
  foreign: number;
  temporariesLeft: number;
  leftovers: { mounts: number; folders: number; processes: number };
  /** How long after its death something of a killed process was still seen, in the worst case. */
  longestMs: number;
}

const { signal } = new AbortController();

/** Kills a process that stages commands, keeps and undoes their changes, at random moments, and checks each time what is left. */
export async function killStaged(kills: number, aims: readonly Doing[]): Promise<Tally> {
  const tally: Tally = {
    kills: 0,
    during: { run: 0, commit: 0, undo: 0 },
    takenBack: 0,
    finished: 0,
    torn: 0,
    answered: 0,
    answeredLost: 0,
    foreign: 0,
    temporariesLeft: 0,
    leftovers: { mounts: 0, folders: 0, processes: 0 },
    longestMs: 0,
  };
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-kill-staged-')));
  try {
    mkdirSync(join(base, 'workspace'));
    execFileSync('bash', ['-c', generation(0)], { cwd: join(base, 'workspace'), stdio: 'ignore' });
    const staging = await startStaged(base, 'first').staged.possible(signal);
    if (!staging.possible) return { ...tally, untried: staging.why };
    const program = await bundle(new URL('./child.ts', import.meta.url), base);
    for (let count = 0; count < kills; count++) {
      await killOnce({ base, program, aim: aims[count % aims.length]! }, tally);
    }
    return tally;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

interface Killing {
  base: string;
  program: string;
  aim: Doing;
}

async function killOnce(killing: Killing, tally: Tally): Promise<void> {
  const { base } = killing;
  const { lines, during } = await runUntilKilled(killing);
  const diedAt = performance.now();
  const answered = lines.filter((line) => !['run', 'commit', 'undo'].includes(line));
  tally.kills += 1;
  tally.during[during] += 1;
  tally.answered += answered.length;
  const { place, changes, staged, objects } = startStaged(base, 'next');
  for (const recovery of await changes.recover(signal)) {
    if (recovery.outcome === 'finished') tally.finished += 1;
    if (recovery.outcome === 'taken-back') tally.takenBack += 1;
    tally.foreign += recovery.foreign.length + recovery.failed.length;
  }
  await staged.sweep();
  await objects.close();
  const journal = readJournal(place.journal);
  const known = new Set(journal.map(({ changeSet }) => changeSet.id));
  tally.answeredLost += answered.filter((id) => !known.has(id)).length;
  const found = describeTree(place.workspace);
  tally.temporariesLeft += found.filter((line) => line.includes('.toolwright-')).length;
  if (found.join('\n') !== expectedTree(base, journal.at(-1)?.to ?? 0)) tally.torn += 1;
  const afterMs = await settled(place.workspace, place.state, diedAt);
  tally.longestMs = Math.max(tally.longestMs, afterMs);
  const left = leftoversOf(place.workspace, place.state);
  for (const kind of ['mounts', 'folders', 'processes'] as const) tally.leftovers[kind] += left[kind];
}

/**
 * Waits until nothing of a killed process is seen any more, and gives the milliseconds that took. The watchdog needs a round or two;
 * then the kernel ends what was killed, which may first have to come out of a write to the disk. Far longer than either takes.
 */
async function settled(workspace: string, state: string, diedAt: number): Promise<number> {
  for (let tries = 0; tries < 400; tries++) {
    const { mounts, processes } = leftoversOf(workspace, state);
    if (mounts + processes === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return Math.round(performance.now() - diedAt);
}

const trees = new Map<number, string>();

function expectedTree(base: string, number: number): string {
  const known = trees.get(number);
  if (known !== undefined) return known;
  const folder = join(base, `expected-${number}`);
  mkdirSync(folder);
  execFileSync('bash', ['-c', generation(number)], { cwd: folder, stdio: 'ignore' });
  const tree = describeTree(folder).join('\n');
  trees.set(number, tree);
  rmSync(folder, { recursive: true });
  return tree;
}

/** Lets it reach what is aimed at, then kills it a random moment later. */
function runUntilKilled({ base, program, aim }: Killing): Promise<{ lines: string[]; during: Doing }> {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, base, seed], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    child.stderr.on('data', (data) => (errors += data));
    child.stdout.on('data', (data) => {
      output += data;
      const isThere = output.split('\n').includes(aim);
      if (isThere && timer === undefined)
        timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * WINDOW_MS[aim]);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      const lines = output.split('\n').slice(0, -1);
      const during =
        lines.findLast((line): line is Doing => ['run', 'commit', 'undo'].includes(line)) ?? 'run';
      if (killedBy === 'SIGKILL') resolve({ lines, during });
      else reject(new Error(`the child ended by itself with ${code}: ${errors}`));
    });
  });
}

const WINDOW_MS: Record<Doing, number> = { run: 150, commit: 120, undo: 120 };
