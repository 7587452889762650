import type { Report } from './report.js';
import { type ReportColumn, type ReportRow, type TaskDetails, wordReport } from './report-words.js';

const style = `
:root { color-scheme: light dark; --line: #d8dade; --soft: #f5f6f7; --dim: #5d646d; --good: #1a7f37; --bad: #b42318; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --line: #3a3f47; --soft: #1d2127; --dim: #9aa3ad; --good: #56c271; --bad: #ff8a80; --wait: #e3b341; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1rem; margin: 2rem 0 .3rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; } .dim { color: var(--dim); }
.bar { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; margin: .8rem 0; background: var(--line); max-width: 40rem; }
table { border-collapse: collapse; width: 100%; margin-top: 1.2rem; font-size: .93rem; }
th { color: var(--dim); font-weight: 500; } td, th { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: break-word; } td.task, td.why { min-width: 12rem; } td.time, td.changes { white-space: nowrap; } td.state { font-weight: 600; }
.done .state, b.done { color: var(--good); } .failed .state, .poison .state, b.failed, b.poison { color: var(--bad); } .parked .state, b.parked { color: var(--wait); }
.bar .done { background: var(--good); } .bar .failed, .bar .poison { background: var(--bad); } .bar .parked { background: var(--wait); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .7rem; border-radius: 6px; font-size: .85rem; margin: .5rem 0; }
ins { color: var(--good); text-decoration: none; } del { color: var(--bad); text-decoration: none; } i { color: var(--dim); font-style: normal; }
a { color: inherit; }
`;

/** Writes the report as a page without scripts. */
export function reportAsHtml(report: Report): string {
  const { counts, usage, columns, rows, more, details } = wordReport(report);
  const linked = new Set(details.map(({ id }) => id));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Fleet report</title>
<style>${style}</style>
<h1>Fleet report</h1>
<p>${counts.map(([state, count]) => `<b class="${state}">${count} ${state}</b>`).join(', ') || 'nothing'} <span class="dim">· ${usage}</span></p>
<div class="bar">${counts.map(([state, count]) => `<div class="${state}" style="flex: ${count}"></div>`).join('')}</div>
<table>
<thead><tr>${columns.map((name) => `<th>${name}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, columns, linked)).join('\n')}
</tbody>
</table>
${more > 0 ? `<p class="dim">… and ${more} more.</p>` : ''}
${details.map(detailSection).join('\n')}
</html>
`;
}

function rowOf(
  { id, state, cells }: ReportRow,
  columns: readonly ReportColumn[],
  linked: ReadonlySet<string>,
): string {
  const inside = (name: ReportColumn): string =>
    name === 'task' && linked.has(id)
      ? `<a href="#${escaped(id)}">${escaped(cells.task)}</a>`
      : escaped(cells[name]);
  const written = columns.map((name) => `<td class="${name}">${inside(name)}</td>`).join('');
  return `<tr class="${state}">${written}</tr>`;
}

function detailSection({ id, state, heading, facts, why, leftOut, texts, patch }: TaskDetails): string {
  return [
    `<h2 id="${escaped(id)}">${escaped(heading)}</h2>`,
    `<p class="dim"><b class="${state}">${state}</b>${facts.map((fact) => ` · ${escaped(fact)}`).join('')} · <code>${escaped(id)}</code></p>`,
    why === '' ? '' : `<p>${escaped(why)}</p>`,
    ...leftOut.map((sentence) => `<p>left out: ${escaped(sentence)}</p>`),
    ...texts.map((text) => `<pre>${escaped(text)}</pre>`),
    patch === '' ? '' : `<pre>${coloured(patch)}</pre>`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** The lines of a patch, those that were added and removed in their colours. */
function coloured(patch: string): string {
  return patch
    .split('\n')
    .map((text) => {
      const safe = escaped(text);
      if (/^(diff |index |--- |\+\+\+ |@@ |new file|deleted file|old mode|new mode|…)/.test(text))
        return `<i>${safe}</i>`;
      if (text.startsWith('+')) return `<ins>${safe}</ins>`;
      return text.startsWith('-') ? `<del>${safe}</del>` : safe;
    })
    .join('\n');
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
