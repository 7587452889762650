import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyseCommand, isPlainlyRead } from './analyse.js';
import { readLines } from './fixtures/read-lines.js';
import { acceptedByBash, runInBash } from './fixtures/run-in-bash.js';

const everyday = readLines('everyday.txt').map(({ command }) => command);
const fixed = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };

/** Characters and small pieces that mean something to bash. */
const piece = fc.constantFrom(
  ...'\'"`$(){}[]<>|&;#!*?~=\\ \n\t-0a',
  ...[
    '$(',
    '))',
    '((',
    '&&',
    '||',
    ';;',
    '<<',
    '>&',
    '|&',
    '[[',
    ']]',
    ' do ',
    ' done',
    'if ',
    ' fi',
    ' then ',
    ' esac',
    '${',
    '$((',
    "$'",
    '{a,b}',
    '!(',
    '@(',
  ],
);

type Change = { kind: 'insert' | 'replace' | 'delete' | 'double' | 'swap'; at: number; text: string };
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert', 'replace', 'delete', 'double', 'swap'),
  at: fc.nat(200),
  text: piece,
});

function apply(command: string, { kind, at, text }: Change): string {
  const place = at % (command.length + 1);
  const [before, after] = [command.slice(0, place), command.slice(place)];
  if (kind === 'insert') return before + text + after;
  if (kind === 'replace') return before + text + after.slice(1);
  if (kind === 'delete') return before + after.slice(1 + (at % 3));
  if (kind === 'double') return before + after.slice(0, 4) + after;
  return after + before;
}

it('what bash rejects is never proven, however everyday lines are mutated', async () => {
  const mutants = fc.sample(
    fc.tuple(fc.constantFrom(...everyday), fc.array(change, { minLength: 1, maxLength: 3 })),
    { numRuns: 8_000 },
  );
  const proven = new Set<string>();
  const canonical = new Set<string>();
  for (const [command, changes] of mutants) {
    const mutant = changes.reduce(apply, command);
    const analysis = await analyseCommand(mutant, fixed);
    if (!analysis.readOnly) continue;
    proven.add(mutant);
    canonical.add(analysis.canonical ?? '');
  }
  const lines = [...proven].slice(0, 1000);
  const accepted = acceptedByBash(lines);
  const rejected = lines.filter((_, index) => !accepted[index]);
  const again = [...canonical].slice(0, 300);
  const acceptedAgain = acceptedByBash(again);
  expect(rejected).toEqual([]);
  expect(again.filter((_, index) => !acceptedAgain[index])).toEqual([]);
  expect(lines.length).toBeGreaterThan(500);
  console.log(
    `evidence: ${mutants.length} mutated command lines, ${proven.size} proven to only read, ${lines.length} of these tried with bash -n, ${rejected.length} rejected`,
  );
});

it('bash accepts every line that is plainly read', () => {
  const mutants = fc
    .sample(fc.tuple(fc.constantFrom(...everyday), fc.array(change, { maxLength: 3 })), { numRuns: 8_000 })
    .map(([command, changes]) => changes.reduce(apply, command));
  const lines = [...new Set(mutants.filter(isPlainlyRead))].slice(0, 1000);
  const accepted = acceptedByBash(lines);
  expect(lines.filter((_, index) => !accepted[index])).toEqual([]);
  expect(lines.length).toBeGreaterThan(200);
  console.log(`evidence: ${lines.length} plainly read lines, all accepted by bash -n`);
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
    expect(same).toBeGreaterThan(150);
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
