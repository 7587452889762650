import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyseCommand } from './analyse.js';
import { apply, change, everyday, plainMutants, provenMutants } from './fixtures/mutated-lines.js';
import { runInBash } from './fixtures/run-in-bash.js';

it('what bash rejects is never proven, however everyday lines are mutated', async () => {
  const { tried, rejected } = await provenMutants(750, 100);
  expect(rejected).toEqual([]);
  expect(tried).toBe(100);
});

it('bash accepts every line that is plainly read', () => {
  const { tried, rejected } = plainMutants(1_000, 100);
  expect(rejected).toEqual([]);
  expect(tried).toBeGreaterThan(75);
});

/** Their output changes from one moment to the next, or they are not installed everywhere. */
const unsteady =
  /\b(ps|uptime|free|date|rg|fd|tree|df|time|id|nproc|cargo|go|python3|npm|node)\b|cpuinfo|reflog/;

const setUp = [
  'git init -q -b main . && git config user.name me && git config user.email me@example.com',
  'mkdir -p src/base src/host sub tests out && printf "start\\nfoo TODO some text\\nend\\n" | tee src/a.ts src/b.ts src/base/x.ts sub/y.ts > /dev/null',
  'printf "a,1,9\\nb,2,3\\n" > a.csv; printf "foo 1\\nbar 2\\nfoo 1\\n" > a.txt; printf "bar 2\\nfoo 1\\n" > b.txt; printf "# x\\n\\ny\\n" > config.txt',
  `printf '{"name":"n","version":"1","scripts":{"a":"b"},"dependencies":{"a":"1"}}' | tee package.json config.json > /dev/null`,
  'printf "\\0\\1version" > a.bin; cp a.bin b.bin; echo x > "a file with spaces.txt"; echo y > "it\'s.txt"; echo z > log.txt; echo "# m" > README.md',
  'tar -cf a.tar src; tar -czf a.tar.gz src; git add . && git commit -qm first && git branch feature/x && git tag v1 && echo more >> a.txt',
];

/** A small repository with the names that the everyday lines speak of. */
function fill(folder: string): void {
  for (const line of setUp) expect(runInBash(line, folder, {}).status, line).toBe(0);
}

it('a line written again prints what the line itself prints', async () => {
  // In a folder of its own, because `ls -la` shows the one above too.
  const base = mkdtempSync(join(tmpdir(), 'canonical-'));
  const folder = join(base, 'work');
  mkdirSync(folder);
  try {
    fill(folder);
    const context = { directory: folder, roots: [folder], home: folder };
    const different: string[] = [];
    let same = 0;
    for (const command of everyday.filter((line) => !unsteady.test(line))) {
      const { canonical, environment } = await analyseCommand(command, context);
      const [original, again] = [command, canonical ?? ''].map((line) =>
        runInBash(line, folder, environment),
      );
      if (JSON.stringify(original) === JSON.stringify(again)) same++;
      else different.push(`${command}\n${canonical}\n${JSON.stringify([original, again])}`);
    }
    expect(different).toEqual([]);
    expect(same).toBeGreaterThan(75);
    console.log(
      `evidence: ${same} everyday lines run as written and as written again, ${different.length} with another output`,
    );
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

/** Names, contents, modes and times of everything in it. */
const snapshot = 'find . -printf "%p %m %s %T@ %l\\n" | sort | sha256sum';

it('what is proven leaves every byte of the folder as it was, however everyday lines are mutated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proven-'));
  try {
    fill(folder);
    const context = { directory: folder, roots: [folder], home: folder };
    const steady = everyday.filter((line) => !/sleep|seq|timeout/.test(line));
    const samples = fc.sample(
      fc.tuple(fc.constantFrom(...steady), fc.array(change, { minLength: 1, maxLength: 2 })),
      2_000,
    );
    const before = runInBash(snapshot, folder, {}).stdout;
    const environment: Record<string, string> = {};
    const proven: string[] = [];
    for (const [command, changes] of samples) {
      const analysis = await analyseCommand(changes.reduce(apply, command), context);
      Object.assign(environment, analysis.environment);
      if (analysis.canonical !== null && proven.length < 250) proven.push(analysis.canonical);
    }
    const script = proven.map((line) => `( ${line}\n) </dev/null >/dev/null 2>&1`).join('\n');
    runInBash(script, folder, environment);
    expect(runInBash(snapshot, folder, {}).stdout).toBe(before);
    expect(before.length).toBeGreaterThan(60);
    expect(proven.length).toBe(250);
    console.log(`evidence: ${proven.length} mutated lines proven to only read were run, 0 files changed`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
