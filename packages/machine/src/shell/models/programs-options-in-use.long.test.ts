import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { analyseCommand } from '../analyse.js';
import { dangerous, others } from '../fixtures/option-lists.js';
import { runInBash } from '../fixtures/run-in-bash.js';
import { readOnlyGit } from './git/read-only.js';
import type { ProgramModel } from './model.js';
import { programs } from './programs.js';

/** Programs with options that write, each with everyday words. */
const uses: readonly [program: string, words: string, model: ProgramModel | undefined][] = [
  ['sort', 'a', programs['sort']],
  ['uniq', 'a', programs['uniq']],
  ['xxd', 'a', programs['xxd']],
  ['tree', '.', programs['tree']],
  ['file', 'a', programs['file']],
  ['sed', 'p a', programs['sed']],
  ['git log', '-1', readOnlyGit['log']],
  ['git blame', 'a', readOnlyGit['blame']],
  ['git stash list', '', readOnlyGit['stash']],
];

const isLetter = ({ name }: { name: string }): boolean => /^-[^-]$/.test(name);

/** Lines that would write if an option took a value that the model does not know of: each before one that writes, and before `--`. */
function linesFor([program, words, model]: (typeof uses)[number]): string[] {
  if (model === undefined) return [];
  const options = others(model);
  const letter = dangerous(model).find((option) => option.takes && isLetter(option));
  const writes = letter === undefined ? '--output=out' : `${letter.name}out`;
  const hidden = options.flatMap(({ name }) => [
    `${program} ${name} ${writes} ${words}`,
    `${program} ${name} -- ${words} ${writes}`,
  ]);
  if (program.startsWith('git')) return hidden;
  const letters = options.filter(isLetter).map(({ name }) => name.slice(1));
  const clusters = letters.flatMap((one) => letters.map((other) => `${program} -${one}${other} a out`));
  return [...hidden, ...clusters];
}

it('what is proven changes nothing, whatever the programs here make of each option', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'options-'));
  try {
    for (const name of ['a', '1', 'b']) writeFileSync(join(folder, name), `${name}\n`);
    const setUp =
      'git init -q . && git config user.name me && git config user.email me@example.com && git add . && git commit -qm a && echo b > a && git stash -q';
    expect(runInBash(setUp, folder, {}).status).toBe(0);
    const before = content(folder);
    const missing = uses.filter(([program]) => spawnSync('which', [program.split(' ')[0]!]).status !== 0);
    if (missing.length > 0)
      console.log(`skipped, not here: ${missing.map(([program]) => program).join(', ')}`);
    const lines = uses.filter((use) => !missing.includes(use)).flatMap(linesFor);
    const context = { directory: folder, roots: [folder], home: folder };
    const proven: { canonical: string; environment: Readonly<Record<string, string>> }[] = [];
    for (const line of new Set(lines)) {
      const { canonical, environment } = await analyseCommand(line, context);
      if (canonical !== null) proven.push({ canonical, environment });
    }
    for (let at = 0; at < proven.length; at += 100) {
      const batch = proven.slice(at, at + 100);
      const environment = Object.assign({}, ...batch.map((each) => each.environment));
      const script = batch.map(({ canonical }) => `${canonical} </dev/null >/dev/null 2>&1`).join('\n');
      runInBash(script, folder, environment);
      expect(content(folder), script).toEqual(before);
    }
    expect(proven.length).toBeGreaterThan(500);
    console.log(
      `evidence: ${lines.length} uses of options, ${proven.length} proven and run, 0 files changed`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Every file beside the repository with its text. */
function content(folder: string): string[][] {
  const names = readdirSync(folder).filter((name) => name !== '.git');
  return names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}
