import { expect, it } from 'vitest';
import { analyseCommand } from '../analyse.js';
import { dangerous, type Listed, others } from '../fixtures/option-lists.js';
import { quote } from '../shell-word.js';
import { readOnlyGit } from './git/read-only.js';
import type { ProgramModel } from './model.js';
import { programs } from './programs.js';

const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };

const models: [string, ProgramModel][] = [
  ...Object.entries(programs),
  ...Object.entries(readOnlyGit).map(([name, model]): [string, ProgramModel] => [`git ${name}`, model]),
].filter(([, model]) => dangerous(model).length > 0);

/** Spellings of an option: with a file as its value, attached and as the next word; alone where it takes none. */
function spellings({ name, takes }: Listed): string[] {
  if (!takes) return [name];
  return name.startsWith('--') ? [`${name}=out`, `${name} out`] : [`${name}out`, `${name} out`];
}

async function automaticAmong(lines: readonly string[]): Promise<string[]> {
  const automatic: string[] = [];
  for (const line of lines) if ((await analyseCommand(line, context)).readOnly) automatic.push(line);
  return automatic;
}

it('no beginning of a dangerous long option is automatic', async () => {
  const lines = models.flatMap(([program, model]) => {
    const known = new Set(others(model).map(({ name }) => name));
    return dangerous(model).flatMap(({ name, takes }) => {
      if (!name.startsWith('--')) return [];
      const beginnings = Array.from({ length: name.length - 2 }, (_, index) => name.slice(0, index + 3));
      return beginnings
        .filter((beginning) => !known.has(beginning))
        .flatMap((beginning) => spellings({ name: beginning, takes }).map((text) => `${program} ${text} a`));
    });
  });
  expect(await automaticAmong(lines)).toEqual([]);
  expect(lines.length).toBeGreaterThan(1000);
  console.log(`evidence: ${lines.length} beginnings of dangerous options, 0 automatic`);
});

it('no dangerous letter is automatic behind others, and none as what looks like the value of another', async () => {
  const lines = models.flatMap(([program, model]) => {
    const acting = dangerous(model).filter(({ name }) => !others(model).some((other) => other.name === name));
    return acting.flatMap((option) => {
      const clusters = others(model)
        .filter(({ name, takes }) => /^-[^-]$/.test(name) && !takes && /^-[^-]$/.test(option.name))
        .flatMap(({ name }) => spellings(option).map((text) => `${program} ${name}${text.slice(1)} a`));
      const hidden = others(model)
        .filter(({ takes }) => takes && model.style !== 'exact')
        .map(({ name }) => `${program} ${name} ${quote(spellings(option)[0]!)} a`);
      return [...clusters, ...hidden];
    });
  });
  expect(await automaticAmong(lines)).toEqual([]);
  expect(lines.length).toBeGreaterThan(1000);
  console.log(`evidence: ${lines.length} clusters and hidden options, 0 automatic`);
});
