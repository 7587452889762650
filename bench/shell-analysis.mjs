/** Measures the analysis of a command line, without running it: typical lines once warm, and the worst that fit into 8 KiB. */
import { interleaved, loadSource, median } from './measure.mjs';

const { analyseCommand, readLines } = await loadSource(`
  export { analyseCommand } from './packages/machine/src/shell/analyse.js';
  import { readFileSync } from 'node:fs';
  export const readLines = () => readFileSync('packages/machine/src/shell/fixtures/everyday.txt', 'utf8').split('\\n');
`);

const context = { directory: '/work/app', roots: ['/work/app'], home: '/home/me' };
const everyday = readLines().filter((line) => line !== '' && !/^#|^json:/.test(line));

const first = performance.now();
await analyseCommand('git status', context);
console.log(`the first analysis, with loading the grammar: ${(performance.now() - first).toFixed(1)} ms`);

for (let round = 0; round < 20; round++) for (const line of everyday) await analyseCommand(line, context);
const each = [];
for (const line of everyday) {
  const runs = [];
  for (let run = 0; run < 9; run++) {
    const started = performance.now();
    await analyseCommand(line, context);
    runs.push(performance.now() - started);
  }
  each.push(median(runs.sort((left, right) => left - right)));
}
each.sort((left, right) => left - right);
const slowest = each[Math.floor(each.length * 0.99)];
const verdict = (value, target) => (value <= target ? 'ok' : 'MISSED');
console.log(
  `${everyday.length} everyday lines once warm: median ${median(each).toFixed(3)} ms, 99 % ${slowest.toFixed(3)} ms, target 1 ms: ${verdict(slowest, 1)}`,
);

const size = 8192;
const fill = (text) => text.repeat(Math.floor(size / text.length));
const nest = (open, close) => {
  const count = Math.floor(size / (open.length + close.length));
  return open.repeat(count) + close.repeat(count);
};
/** Just under the limit of brackets, padded to the full size. */
const few = (open, close) => {
  const count = Math.floor(390 / (open.match(/[({[`]/g)?.length ?? 1));
  return `${open.repeat(count)}${close.repeat(count)} ${'a'.repeat(size)}`.slice(0, size);
};
const worst = {
  'substitutions, open': fill('$('),
  'substitutions, closed': nest('$(', ')'),
  'substitutions in quotes': nest('"$(', ')"'),
  'as many substitutions as allowed': few('$(', ')'),
  'as many quoted substitutions as allowed': few('"$(', ')"'),
  'as many arithmetic brackets as allowed': few('$((', '))'),
  'as many defaults as allowed': few('${a:-', '}'),
  'as many brace expansions as allowed': few('{a,', '}'),
  'as many open braces as allowed': few('{', ''),
  'as many process substitutions as allowed': few('<(', ')'),
  'as many backticks as allowed': few('`', ''),
  'as many subshells as allowed': few('( ', ' )'),
  'as many groups as allowed': few('{ ', '; }'),
  backticks: fill('`'),
  'escaped backticks': fill('\\`'),
  subshells: fill('('),
  groups: fill('{ '),
  braces: fill('{'),
  arithmetic: fill('$(('),
  'here-documents': fill('<<a '),
  'here-documents in lines': fill('cat <<A\n'),
  'one long word': fill('a'),
  commands: fill('a;'),
  pipes: fill('a|'),
  conditions: fill('a&&'),
  'function heads': fill('f() '),
  ifs: fill('if a; then '),
  cases: fill('case a in a) '),
  redirections: `ls ${fill('>a ')}`,
  variables: `echo ${fill('$x ')}`,
  assignments: fill('a=b '),
  'brace products': `echo ${fill('{a,b}')}`,
  globs: `ls ${fill('*?')}`,
  'git words': `git log ${fill('--a ')}`,
  'long options cut short': `sort ${fill('--z ')}`,
  'a sed script': `sed '${fill('s/a/b/;')}'`,
  'an awk program': `awk '${fill('{a/b}')}'`,
  'awk names': `awk '${fill('a ')}'`,
};
const contestants = Object.fromEntries(
  Object.entries(worst).map(([name, line]) => [name, () => analyseCommand(line.slice(0, size), context)]),
);
const times = await interleaved(contestants, 5);
// The best of five: what the analysis costs, not what else the machine was doing.
const bests = Object.entries(times).map(([name, list]) => [name, list[0]]);
bests.sort((left, right) => right[1] - left[1]);
for (const [name, time] of bests.slice(0, 6)) console.log(`8 KiB of ${name}: ${time.toFixed(1)} ms`);
console.log(
  `${bests.length} kinds of 8 KiB, slowest ${bests[0][1].toFixed(1)} ms, target 100 ms: ${verdict(bests[0][1], 100)}`,
);
