import { spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Place, placeIn, readJournal, start } from './start.js';
import { describeFolder, describeWorld, planBetween, SHARED, TWIN, worldOf } from './world.js';

export interface Tally {
  kills: number;
  /** Kills that left a commit unfinished, and what became of it. */
  pendingIntents: number;
  takenBack: number;
  finished: number;
  /** Kills while a commit or undo was under way, by what the dead process had last written down. */
  duringUndo: number;
  inPlace: number;
  torn: number;
  temporariesLeft: number;
  answered: number;
  answeredLost: number;
  foreign: number;
  /** Duration of a commit as measured, only to aim by. */
  commitMs: number;
}

export interface Killing {
  base: string;
  place: Place;
  program: string;
}

const { signal } = new AbortController();

/** A fresh workspace in generation 0 and the child program, bundled so that no build is needed. */
export async function prepareKilling(): Promise<Killing> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-kill-')));
  const place = placeIn(base);
  mkdirSync(place.workspace);
  const program = await bundle(new URL('./child.ts', import.meta.url), base);
  const { changes, newId } = start(place, 'first');
  const planned = planBetween(new Map(), worldOf(0), { id: newId(), root: place.workspace });
  await changes.commit(planned, { signal, origin: { from: 0, to: 0 } });
  rmSync(place.journal);
  linkSync(join(place.workspace, SHARED), join(place.workspace, TWIN));
  return { base, place, program };
}

/** The program as one file in the folder; its path. */
export async function bundle(source: URL, folder: string): Promise<string> {
  const program = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return program;
}

export function finishKilling({ base }: Killing): void {
  rmSync(base, { recursive: true, force: true });
}

/** Lets the child run into a kill somewhere in one of its first commits, then starts again and looks what is there. */
export async function killOnce({ place, program, base }: Killing, tally: Tally): Promise<void> {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const answered = await runUntilKilled([program, base, seed], tally);
  tally.kills += 1;
  tally.answered += answered.length;
  countPending(place, tally);

  const { changes, objects } = start(place, 'next');
  for (const recovery of await changes.recover(signal)) {
    if (recovery.outcome === 'finished') tally.finished += 1;
    if (recovery.outcome === 'taken-back') tally.takenBack += 1;
    tally.foreign += recovery.foreign.length + recovery.failed.length;
  }
  await objects.close();
  checkAfterwards(place, answered, tally);
}

function runUntilKilled(args: string[], tally: Tally): Promise<string[]> {
  const chosen = 1 + Math.floor(Math.random() * 3);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    let begun = 0;
    child.stderr.on('data', (data) => (errors += data));
    child.stdout.on('data', (data) => {
      output += data;
      const lines = output.split('\n');
      const commits = lines.filter((line) => line === 'commit').length;
      if (commits === 1 && begun === 0) begun = performance.now();
      // How long a commit takes here and now, so that the next kill finds one under way.
      if (commits > 1 && begun > 0) {
        tally.commitMs = 0.7 * tally.commitMs + 0.3 * (performance.now() - begun);
        begun = -1;
      }
      if (commits >= chosen)
        timer ??= setTimeout(() => child.kill('SIGKILL'), Math.random() * tally.commitMs);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      const lines = output.split('\n').slice(0, -1);
      if (killedBy === 'SIGKILL') resolve(lines.filter((line) => line !== 'commit'));
      else reject(new Error(`the child ended by itself with ${code}: ${errors}`));
    });
  });
}

function countPending(place: Place, tally: Tally): void {
  const folder = join(place.state, 'intents');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  if (names.length > 0) tally.pendingIntents += 1;
  const texts = names.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  if (texts.some((text) => /"origin":\{"from":(\d+),"to":(\d+)\}/.test(text) && goesBack(text)))
    tally.duringUndo += 1;
  if (texts.some((text) => text.includes('{"inPlace":'))) tally.inPlace += 1;
}

function goesBack(text: string): boolean {
  const [, from = '0', to = '0'] = /"origin":\{"from":(\d+),"to":(\d+)\}/.exec(text) ?? [];
  return Number(to) < Number(from);
}

/** What is there must be the world the journal ends with, whole; and the journal must know all that was answered. */
function checkAfterwards(place: Place, answered: string[], tally: Tally): void {
  const journal = readJournal(place.journal);
  const known = new Set(journal.map(({ changeSet }) => changeSet.id));
  tally.answeredLost += answered.filter((id) => !known.has(id)).length;
  const found = describeFolder(place.workspace);
  tally.temporariesLeft +=
    found.filter((line) => line.includes('.toolwright-')).length + unfinishedCopies(place);
  const expected = describeWorld(worldOf(journal.at(-1)?.to ?? 0));
  const twin = readFileSync(join(place.workspace, TWIN));
  const isWhole =
    expected.join('\n') === found.join('\n') && twin.equals(readFileSync(join(place.workspace, SHARED)));
  if (!isWhole) {
    tally.torn += 1;
    console.log(`torn: expected\n${expected.join('\n')}\nfound\n${found.join('\n')}`);
  }
}

function unfinishedCopies(place: Place): number {
  const folder = join(place.state, 'objects', 'pins');
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.endsWith('.scratch'),
  ).length;
}

/** Every earlier version must still be there: goes back through the last few commits one by one. */
export async function walkBack({ place }: Killing, steps: number): Promise<number> {
  const { changes, objects } = start(place, 'walk-back');
  let walked = 0;
  for (const { changeSet, from } of readJournal(place.journal).reverse().slice(0, steps)) {
    const undo = await changes.planUndo(changeSet, signal);
    if (undo.kind === 'ready') await changes.commit(undo.planned, { signal, origin: { from: -1, to: from } });
    if (describeFolder(place.workspace).join('\n') !== describeWorld(worldOf(from)).join('\n')) break;
    walked += 1;
  }
  await objects.close();
  return walked;
}

export function emptyTally(): Tally {
  return {
    kills: 0,
    pendingIntents: 0,
    takenBack: 0,
    finished: 0,
    duringUndo: 0,
    inPlace: 0,
    torn: 0,
    temporariesLeft: 0,
    answered: 0,
    answeredLost: 0,
    foreign: 0,
    commitMs: 40,
  };
}
