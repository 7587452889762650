import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyseCommand } from '../analyse.js';
import { runInBash } from '../fixtures/run-in-bash.js';
import { quote } from '../shell-word.js';

const piecesOf = (...pieces: string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 3 }).map((parts) => parts.join(''));
const expression = piecesOf(
  ...[
    'a',
    '.',
    '[',
    ']',
    '[]',
    '[^]',
    '[[:alpha:]',
    '[[.a.]',
    '[[=a=]',
    '[a-z]',
    '/',
    '/]',
    '\\/',
    '\\]',
    '\\[',
  ],
  ...['^', '$', '*', '#', ';', '"', '\\"', '(', ')', '{', '}', '|', '>', '&', '\\\\', '\n', '\\\n', ' '],
);

const brackets = fc.constantFrom(
  '[]/]',
  '[^]/]',
  '[[:alpha:]/]',
  '[[.a.]/]',
  '[/]',
  '[a]',
  '[]',
  '[\\/]',
  '[\\]/]',
  '[]]',
);

/** Ordinary scripts in which odd expressions and what they could hide stand side by side. */
const scripts: Readonly<Record<string, fc.Arbitrary<string>>> = {
  sed: fc
    .tuple(
      fc.constantFrom('s/', '/', '1!s/', 's/a', 'p;s/'),
      fc.oneof(brackets, expression),
      fc.constantFrom('/', '/p', '/p;', '/\n'),
      fc.oneof(fc.constant(''), brackets, expression),
      fc.constantFrom('', '#', ';#', ' #', '{', '}', 'b#'),
      fc.constantFrom('/e', ' e>e', 'e>e', '/we', '/w e', ';e>e', '\ne>e', '}e>e', '/p', 'w e'),
    )
    .map((parts) => parts.join('')),
  awk: fc
    .tuple(
      fc.constantFrom('/', '$0~/', '{x=1/', '{print "', '{print a[1]/', '{if(1)/', '', '!/', '(1)/', 'a++/'),
      expression,
      fc.constantFrom('/', '/ ', '/;', '"', '', '}', '\n', '#', '/}#'),
      expression,
      fc.constantFrom(
        '{print|"sh"}',
        '#/{print|"sh"}',
        '/{print>"e"}',
        '";print|"sh"}',
        '>"e"}',
        '{print}',
        '}',
      ),
    )
    .map((parts) => parts.join('')),
};

/** Each line of the input would make a file named `e` when a shell reads it, whatever is put in place of a part. */
const input = '>e\n;>e #a]b/\n:>e;[\n>e#]\na;>e\n>e;#[a/]\n';

it.each(Object.entries(scripts))(
  'what is proven of a script for %s changes nothing when it runs',
  async (program, script) => {
    const folder = mkdtempSync(join(tmpdir(), 'languages-'));
    try {
      writeFileSync(join(folder, 'in'), input);
      const context = { directory: folder, roots: [folder], home: folder };
      const proven: string[] = [];
      for (const text of new Set(fc.sample(script, { numRuns: TRIES }))) {
        const { canonical } = await analyseCommand(`${program} ${quote(text)} in`, context);
        if (canonical !== null) proven.push(canonical);
      }
      const lines = proven.map(
        (line) => `timeout 2 ${line} </dev/null >/dev/null 2>&1\n[ -e e ] && exit 9\n`,
      );
      for (let at = 0; at < lines.length; at += 200)
        runInBash(lines.slice(at, at + 200).join(''), folder, {});
      const guilty = readdirSync(folder).length === 1 ? [] : proven.filter((line) => makesFile(line, folder));
      expect(guilty).toEqual([]);
      expect(readdirSync(folder)).toEqual(['in']);
      expect(proven.length).toBeGreaterThan(TRIES / 200);
      console.log(
        `evidence: ${proven.length} random scripts for ${program} proven to only read were run, 0 files made`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

const TRIES = 5_000;

function makesFile(line: string, folder: string): boolean {
  for (const name of readdirSync(folder)) if (name !== 'in') rmSync(join(folder, name));
  runInBash(`timeout 2 ${line} </dev/null >/dev/null 2>&1`, folder, {});
  return readdirSync(folder).length > 1;
}
