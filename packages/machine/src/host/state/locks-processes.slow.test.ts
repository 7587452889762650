import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { createClock, createIds } from '../node-host.js';
import { createLocks } from './locks.js';
import { openStateFolder } from './state-folder.js';

/**
 * Counts up under the lock in three separate steps, so that two processes inside at once would lose a count.
 * With `mortal`, it sometimes dies inside or while taking over, the way `kill -9` ends a process.
 */
const program = `
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClock, createIds } from '../node-host.js';
import { createLocks } from './locks.js';
import { openStateFolder } from './state-folder.js';

const [base, rounds, mortal] = [process.argv[2], Number(process.argv[3]), process.argv[4] === 'mortal'];
const perhapsDie = () => { if (mortal && Math.random() < 0.02) process.kill(process.pid, 'SIGKILL'); };
const locks = createLocks(openStateFolder(base), { clock: createClock(), ids: createIds() });
for (let round = 0; round < rounds; round++) {
  if (mortal && Math.random() < 0.05) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 5);
  await locks.withLock('count', async () => {
    perhapsDie();
    const count = Number(readFileSync(base + '/count', 'utf8'));
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(base + '/count.' + process.pid, String(count + 1));
    perhapsDie();
    renameSync(base + '/count.' + process.pid, base + '/count');
    appendFileSync(base + '/counted', String(count + 1) + '\\n');
    perhapsDie();
  }, new AbortController().signal);
}
if (process.argv[4] === 'hold') await locks.withLock('count', async () => {
  process.stdout.write('held');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}, new AbortController().signal);
`;

let built: string;
let base: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'locks-program-'));
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  await build({
    stdin: { contents: program, resolveDir, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(built, 'program.mjs'),
  });
});
afterAll(() => rm(built, { recursive: true, force: true }));
beforeEach(async () => {
  base = tempFolder();
  await writeFile(join(base, 'count'), '0');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

function start(rounds: number, kind: 'steady' | 'mortal' | 'hold'): ChildProcess {
  const args = [join(built, 'program.mjs'), base, String(rounds), kind];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  return child;
}

const ended = async (child: ChildProcess) => (await once(child, 'exit')) as [number | null, string | null];
const countedValues = async () =>
  (await readFile(join(base, 'counted'), 'utf8')).trimEnd().split('\n').map(Number);

it('a lock loses no count when several processes count at once', async () => {
  const [processes, rounds] = [5, 100];
  const codes = await Promise.all(Array.from({ length: processes }, () => ended(start(rounds, 'steady'))));
  expect(codes).toEqual(Array(processes).fill([0, null]));
  const count = Number(await readFile(join(base, 'count'), 'utf8'));
  console.log(
    `locks: ${processes} processes x ${rounds}: count ${count}, ${processes * rounds - count} lost`,
  );
  expect(count).toBe(processes * rounds);
});

it('a lock lets nobody in twice and blocks nobody when processes are killed at any moment', async () => {
  const signals: (string | null)[] = [];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let life = 0; life < 4; life++) signals.push((await ended(start(40, 'mortal')))[1]);
    }),
  );
  const killed = signals.filter((signal) => signal === 'SIGKILL').length;
  expect(killed + signals.filter((signal) => signal === null).length).toBe(16);
  expect((await ended(start(10, 'steady')))[0]).toBe(0);
  const values = await countedValues();
  const twice = values.length - new Set(values).size;
  console.log(`locks: ${killed} of 16 processes killed: ${values.length} counts, ${twice} counted twice`);
  expect(twice).toBe(0);
  expect(values).toEqual([...values].sort((left, right) => left - right));
});

it('a lock takes over from a process that was killed while it held the lock', async () => {
  const holder = start(0, 'hold');
  await once(holder.stdout!, 'data');
  const gone = ended(holder);
  let waited = 0;
  const clock = createClock();
  const patient = {
    ...clock,
    sleep(ms: number, signal?: AbortSignal) {
      waited++;
      return clock.sleep(ms, signal);
    },
  };
  const locks = createLocks(openStateFolder(base), { clock: patient, ids: createIds() });
  const mine = locks.withLock('count', async () => 'mine', new AbortController().signal);
  while (waited < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  holder.kill('SIGKILL');
  await gone;
  expect(await mine).toBe('mine');
});
