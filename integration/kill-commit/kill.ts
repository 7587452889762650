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
import { describeFolder, describeWorld, planBetween, SHARED, TWIN, type Variant, worldOf } from './world.js';

export interface Tally {
  kills: number;
  /** Kills that left a commit unfinished, and what became of it. */
  pendingIntents: number;
  takenBack: number;
  finished: number;
  /** Kills while a commit or undo was under way, by what the dead process had last written down. */
  duringUndo: number;
  inPlace: number;
  /** Files found half overwritten, all of which must be whole after the next start. */
  foundTorn: number;
  torn: number;
  temporariesLeft: number;
  answered: number;
  answeredLost: number;
  foreign: number;
  /** Duration of a commit as measured, only to aim by. */
  commitMs: number;
  walkedBack: number;
}

interface Killing {
  base: string;
  place: Place;
  program: string;
  variant: Variant;
}

const { signal } = new AbortController();

/** A fresh workspace in generation 0 and the child program, bundled so that no build is needed. */
async function prepareKilling(variant: Variant): Promise<Killing> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-kill-')));
  const place = placeIn(base);
  mkdirSync(place.workspace);
  const program = await bundle(new URL('./child.ts', import.meta.url), base);
  const { changes, newId } = start(place, 'first');
  const planned = planBetween(new Map(), worldOf(0, variant), { id: newId(), root: place.workspace });
  await changes.commit(planned, { signal, origin: { from: 0, to: 0 } });
  rmSync(place.journal);
  linkSync(join(place.workspace, SHARED), join(place.workspace, TWIN));
  return { base, place, program, variant };
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
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  });
  return program;
}

/** Lets the child run into a kill somewhere in one of its first commits, then starts again and looks what is there. */
async function killOnce(killing: Killing, tally: Tally): Promise<void> {
  const { place, program, base, variant } = killing;
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const answered = await runUntilKilled([program, base, seed, variant], {
    tally,
    // The large file is overwritten within a few milliseconds, right after the intent says so.
    isDue: () => variant !== 'large' || pendingTexts(place).some((text) => text.includes('{"inPlace":')),
    withinMs: () => (variant === 'large' ? 20 : tally.commitMs),
  });
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
  checkAfterwards(killing, answered, tally);
}

interface Aim {
  tally: Tally;
  isDue(): boolean;
  withinMs(): number;
}

function runUntilKilled(args: string[], { tally, isDue, withinMs }: Aim): Promise<string[]> {
  const chosen = 1 + Math.floor(Math.random() * 3);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    let timer: NodeJS.Timeout | undefined;
    const kill = () => {
      if (isDue()) timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * withinMs());
      else timer = setTimeout(kill, 1);
    };
    const stopwatch = measureCommit(tally);
    child.stderr.on('data', (data) => (errors += data));
    child.stdout.on('data', (data) => {
      output += data;
      const commits = output.split('\n').filter((line) => line === 'commit').length;
      stopwatch(commits);
      if (commits >= chosen && timer === undefined) kill();
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

/** Measures a commit here and now, so that the next kill finds one under way. */
function measureCommit(tally: Tally): (commits: number) => void {
  let begun: number | undefined;
  let isMeasured = false;
  return (commits) => {
    begun ??= performance.now();
    if (isMeasured || commits < 2) return;
    isMeasured = true;
    tally.commitMs = 0.7 * tally.commitMs + 0.3 * (performance.now() - begun);
  };
}

function pendingTexts(place: Place): string[] {
  const folder = join(place.state, 'intents');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => textAt(join(entry.parentPath, entry.name)));
}

/** Empty when it was removed in this moment. */
function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function countPending(place: Place, tally: Tally): void {
  const texts = pendingTexts(place);
  if (texts.length > 0) tally.pendingIntents += 1;
  if (texts.some(goesBack)) tally.duringUndo += 1;
  if (texts.some((text) => text.includes('{"inPlace":'))) tally.inPlace += 1;
  if (isMixed(place)) tally.foundTorn += 1;
}

/** A file that is neither the one nor the other generation, before it is mended. */
function isMixed(place: Place): boolean {
  const bytes = readFileSync(join(place.workspace, SHARED));
  const line = bytes.subarray(0, bytes.indexOf('\n') + 1);
  return line.length === 0 || !bytes.equals(Buffer.alloc(bytes.length, line));
}

function goesBack(text: string): boolean {
  const [, from = '0', to = '0'] = /"origin":\{"from":(\d+),"to":(\d+)\}/.exec(text) ?? [];
  return Number(to) < Number(from);
}

/** Checks that the world is the one the journal ends with, whole, and that the journal knows all that was answered. */
function checkAfterwards({ place, variant }: Killing, answered: string[], tally: Tally): void {
  const journal = readJournal(place.journal);
  const known = new Set(journal.map(({ changeSet }) => changeSet.id));
  tally.answeredLost += answered.filter((id) => !known.has(id)).length;
  const found = describeFolder(place.workspace);
  tally.temporariesLeft +=
    found.filter((line) => line.includes('.toolwright-')).length + unfinishedCopies(place);
  const expected = describeWorld(worldOf(journal.at(-1)?.to ?? 0, variant));
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
async function walkBack({ place, variant }: Killing, steps: number): Promise<number> {
  const { changes, objects } = start(place, 'walk-back');
  let walked = 0;
  for (const { changeSet, from } of readJournal(place.journal).reverse().slice(0, steps)) {
    const undo = await changes.planUndo(changeSet, signal);
    if (undo.kind === 'ready') await changes.commit(undo.planned, { signal, origin: { from: -1, to: from } });
    if (describeFolder(place.workspace).join('\n') !== describeWorld(worldOf(from, variant)).join('\n'))
      break;
    walked += 1;
  }
  await objects.close();
  return walked;
}

/** So many kills, then the way back through some commits; the tally is printed and checked for what must be zero. */
export async function killRepeatedly(
  variant: Variant,
  { kills, backwards }: { kills: number; backwards: number },
): Promise<Tally> {
  const killing = await prepareKilling(variant);
  const tally = emptyTally();
  try {
    for (let kill = 0; kill < kills; kill++) await killOnce(killing, tally);
    tally.walkedBack = await walkBack(killing, backwards);
    console.log(`kill-commit ${variant}: ${JSON.stringify(tally)}`);
    return tally;
  } finally {
    rmSync(killing.base, { recursive: true, force: true });
  }
}

function emptyTally(): Tally {
  return {
    kills: 0,
    pendingIntents: 0,
    takenBack: 0,
    finished: 0,
    duringUndo: 0,
    inPlace: 0,
    foundTorn: 0,
    torn: 0,
    temporariesLeft: 0,
    answered: 0,
    answeredLost: 0,
    foreign: 0,
    commitMs: 40,
    walkedBack: 0,
  };
}
