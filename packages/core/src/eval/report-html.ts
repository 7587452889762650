import { plural } from '@toolwright/machine/base/amounts.js';
import { comparisonSentences, percent } from './comparison.js';
import { inHtml } from './in-html.js';
import { dotPlot, intervalPlot } from './plots.js';
import {
  type EvalComparison,
  type EvalRun,
  type EvalSummary,
  type Spread,
  summariesOf,
  summarise,
  tokensOf,
} from './results.js';

export interface ReportOptions {
  /** The model, and whatever else names the evaluation. */
  label: string;
  runs: readonly EvalRun[];
  comparison: EvalComparison | null;
}

/** The report as one page that needs nothing else: tables, and plots as SVG. */
export function reportHtml({ label, runs, comparison }: ReportOptions): string {
  const tasks = summariesOf(runs);
  const total = summarise('all', runs);
  const name = inHtml(label);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Evaluation of ${name}</title><style>${style}</style></head><body>
<h1>Evaluation of ${name}</h1>
<p class="lead"><b>${percent(total.rate.value)}</b> of ${plural(total.runs, 'run')} passed (95 % interval ${percent(total.rate.low)} to ${percent(total.rate.high)}), ${plural(tasks.length, 'task')}.</p>
${comparison ? comparisonHtml(comparison) : ''}
${intervalPlot(
  'Passed',
  tasks.map(({ name: task, rate }) => ({ name: task, ...rate })),
)}
${dotPlot('Tokens', pointsOf(runs, tokensOf))}
<p>Each dot is a run: filled where it passed, hollow where it failed.</p>
${dotPlot(
  'Seconds',
  pointsOf(runs, ({ durationMs }) => durationMs / 1_000),
)}
<h2>Tasks</h2>${table(tasks, total)}
${failuresHtml(runs)}
</body></html>
`;
}

function pointsOf(runs: readonly EvalRun[], value: (run: EvalRun) => number) {
  const names = [...new Set(runs.map(({ task }) => task))].sort();
  return names.map((name) => ({
    name,
    points: runs
      .filter(({ task }) => task === name)
      .map((run) => ({ value: value(run), passed: run.passed })),
  }));
}

function table(tasks: readonly EvalSummary[], total: EvalSummary): string {
  const row = ({ name, runs, passed, rate, turns, tokens, cost, seconds }: EvalSummary): string =>
    `<tr><th>${inHtml(name)}</th><td>${passed} of ${runs}</td><td>${percent(rate.low)} – ${percent(rate.high)}</td><td>${spread(turns, 1)}</td><td>${spread(tokens, 0)}</td><td>${cost ? `$${cost.mean.toFixed(4)}` : '–'}</td><td>${spread(seconds, 2)}</td></tr>`;
  return `<div class="scroll"><table><thead><tr><th>task</th><th>passed</th><th>95 % interval</th><th>turns</th><th>tokens</th><th>cost</th><th>seconds</th></tr></thead>
<tbody>${tasks.map(row).join('\n')}</tbody><tfoot>${row(total)}</tfoot></table></div>`;
}

function comparisonHtml(comparison: EvalComparison): string {
  const { all, tasks } = comparisonSentences(comparison);
  const list = tasks.map(
    ({ sentence, isBetter }) => `<li class="${isBetter ? 'good' : 'bad'}">${inHtml(sentence)}</li>`,
  );
  return `<h2>Against the earlier evaluation</h2>
<ul>${all.map((sentence) => `<li>${inHtml(sentence)}</li>`).join('')}</ul>
${list.length > 0 ? `<ul>${list.join('')}</ul>` : '<p>Every task passed as often as before.</p>'}`;
}

const MOST_FAILURES = 50;

function failuresHtml(runs: readonly EvalRun[]): string {
  const failed = runs.filter(({ passed }) => !passed).slice(0, MOST_FAILURES);
  if (failed.length === 0) return '';
  const each = failed.map(
    ({ task, number, ended, error, output }) =>
      `<details><summary>${inHtml(task)}, run ${number}: ${inHtml(error ?? ended)}</summary><pre>${inHtml(output)}</pre></details>`,
  );
  return `<h2>Failed</h2>${each.join('\n')}`;
}

function spread({ mean, deviation }: Spread, digits: number): string {
  const write = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: digits });
  return deviation > 0 ? `${write(mean)} ± ${write(deviation)}` : write(mean);
}

const style = `:root{color-scheme:light dark;--good:light-dark(#1a7f37,#3fb950);--bad:light-dark(#b3261e,#ff7b72);--line:light-dark(#d0d7de,#30363d)}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child{text-align:left}tfoot{font-weight:600}.scroll{overflow-x:auto}.lead{font-size:1.1rem}.good{color:var(--good)}.bad{color:var(--bad)}
.plot{display:grid;grid-template-columns:minmax(6rem,14rem) 1fr;font-size:.85rem}.names{padding-top:22px}
.names div{height:22px;line-height:22px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.drawing{padding:0 3rem 0 1.5rem;min-width:0}
svg{display:block;overflow:visible;font-size:12px}svg text{fill:currentColor}svg .grid{stroke:var(--line)}svg .good{fill:var(--good);stroke:var(--good)}
svg .bad{fill:var(--bad);stroke:var(--bad)}pre{overflow-x:auto;padding:.6rem;border:1px solid var(--line)}
@media(max-width:40rem){.plot{grid-template-columns:8rem 1fr}.drawing{padding-right:1.5rem}.quarter text{display:none}}`;
