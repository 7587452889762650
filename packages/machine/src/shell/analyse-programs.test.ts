import { expect, it } from 'vitest';
import { analyseCommand } from './analyse.js';
import { readLines } from './fixtures/read-lines.js';
import { modelOf, programs } from './models/programs.js';

const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };

it('each program with a model does what its table of cases says', async () => {
  const lines = readLines('programs.txt');
  const wrong: string[] = [];
  for (const { group, command } of lines) {
    const { readOnly, doubts, commands } = await analyseCommand(command.slice(2), context);
    if (readOnly !== command.startsWith('+ ')) wrong.push(`${command}: ${doubts.join('; ')}`);
    if (readOnly && !commands?.some(([name]) => name === group))
      wrong.push(`${command} is not about ${group}`);
  }
  expect(wrong).toEqual([]);
  const groups = [...new Set(lines.map(({ group }) => group))];
  expect(groups.filter((group) => modelOf(group) === undefined)).toEqual([]);
  expect(groups.length).toBeGreaterThan(40);
  console.log(
    `evidence: ${Object.keys(programs).length} programs with models, ${groups.length} of them with tables of ${lines.length} cases`,
  );
});
