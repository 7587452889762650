import { expect, it } from 'vitest';
import { analyseCommand } from './analyse.js';
import type { ShellAnalysis } from './analysis.js';
import { readLines } from './fixtures/read-lines.js';
import { matchesWords } from './shell-word.js';

const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };

/** Rules that somebody might give because these programs only read. */
const generous =
  'git|find|rg|fd|ls|cat|sed|awk|gawk|mawk|sort|uniq|head|tail|grep|jq|tar|echo|printf|xargs|env|timeout|nice|wc|cd|test|[|date|diff|file|tree|xxd|cut|base64|hexdump|unzip|ps|du|stat|true|:|command|time|read|git -c|hostname'
    .split('|')
    .map((rule) => rule.split(' '));
/** The same rules without those for git. */
const readingGit = generous.filter((rule) => rule[0] !== 'git');

/** Would the rules let it pass? Writes, deletions and the network are effects of their own. */
function isCovered(analysis: ShellAnalysis, rules: readonly (readonly string[])[]): boolean {
  const { commands, unproven, network, background } = analysis;
  const changes = [...analysis.writes, ...analysis.deletes].filter(
    (path) => !analysis.ordinary.includes(path),
  );
  if (commands === null || changes.length + network.length > 0 || background) return false;
  return unproven.length > 0 && unproven.every((words) => rules.some((rule) => matchesWords(rule, words)));
}

it('no hostile command line is automatic, and no generous rule makes it so', async () => {
  const lines = readLines('hostile.txt');
  const automatic: string[] = [];
  const covered: string[] = [];
  for (const { group, command } of lines) {
    const analysis = await analyseCommand(command, context);
    if (analysis.readOnly || analysis.canonical !== null || analysis.doubts.length === 0)
      automatic.push(command);
    const rules = group.endsWith('(nature)') ? readingGit : group.endsWith('(reading)') ? [] : generous;
    if (isCovered(analysis, rules)) covered.push(command);
  }
  expect(automatic).toEqual([]);
  expect(covered).toEqual([]);
  expect(lines.length).toBeGreaterThan(300);
  console.log(
    `evidence: ${lines.length} hostile command lines, ${automatic.length} automatic, ${covered.length} covered by ${generous.length} generous rules`,
  );
});

it('no everyday command line is asked about', async () => {
  const lines = readLines('everyday.txt');
  const asked: string[] = [];
  for (const { command } of lines) {
    const { readOnly, doubts } = await analyseCommand(command, context);
    if (!readOnly) asked.push(`${command}: ${doubts.join('; ')}`);
  }
  expect(asked).toEqual([]);
  expect(lines.length).toBeGreaterThan(100);
  console.log(`evidence: ${lines.length} everyday command lines, ${asked.length} asked`);
});
