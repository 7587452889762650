import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from './kill-commit/kill.js';
import { type Place, placeIn, readJournal } from './kill-commit/start.js';

const PROCESSES = ['ada', 'bob', 'cid'];
const VICTIM = 'dee';
const ROUNDS = 15;
const counters = ['one', 'two', 'deep/three'];

it('processes that change the same files at the same time lose no update, though one of them is killed', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-concurrent-')));
  try {
    const place = placeIn(base);
    mkdirSync(join(place.workspace, 'deep'), { recursive: true });
    for (const counter of counters) writeFileSync(join(place.workspace, counter), '');
    const program = await bundle(new URL('./concurrent-commits/child.ts', import.meta.url), base);

    const running = PROCESSES.map((name) => run([program, base, name, String(ROUNDS)]));
    const victim = run([program, base, VICTIM, '1000'], 100 + Math.random() * 200);
    await allReady(base);
    writeFileSync(join(base, 'go'), '');
    const outputs = await Promise.all([...running, victim]);

    const text = outputs.join('');
    const conflicts = text.split('conflict\n').length - 1;
    const answered = [...text.matchAll(/^committed (.*)$/gm)].map((match) => match[1]!);
    console.log(`concurrent-commits: ${answered.length} commits answered, ${conflicts} conflicts noticed`);
    const contents = counters.map((counter) => readFileSync(join(place.workspace, counter), 'utf8'));
    // Each commit wrote the same line to all files, so they agree unless one was torn or lost.
    expect(contents[1]).toBe(contents[0]);
    expect(contents[2]).toBe(contents[0]);
    const lines = contents[0]!.trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toEqual(expect.arrayContaining(answered));
    // At most the commit in which the victim died may stand without an answer.
    expect(lines.length - answered.length).toBeLessThanOrEqual(1);
    expect(readJournal(place.journal)).toHaveLength(lines.length);
    expect(leftovers(place)).toEqual([]);
    // Otherwise they had run one after the other and shown nothing.
    expect(conflicts).toBeGreaterThan(0);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

async function allReady(base: string): Promise<void> {
  const isReady = (name: string) => existsSync(join(base, `ready-${name}`));
  while (![...PROCESSES, VICTIM].every(isReady)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function leftovers(place: Place): string[] {
  const files = [place.workspace, join(place.state, 'intents')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  return files.map((entry) => entry.name).filter((name) => !['one', 'two', 'three'].includes(name));
}

function run(args: string[], killAfterMs?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (data) => {
      output += data;
      if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    });
    child.stderr.on('data', (data) => (errors += data));
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      if (code === 0 || (killAfterMs !== undefined && killedBy === 'SIGKILL')) resolve(output);
      else reject(new Error(`${code} ${errors}`));
    });
  });
}
