import { writeFile } from 'node:fs/promises';
import type { TaskRecord, TaskState, TaskUsage } from '../schedule/record.js';

/** What became of all tasks. */
export interface Report {
  states: Record<TaskState, number>;
  usage: TaskUsage;
  /** In the order in which they ended. */
  tasks: TaskRecord[];
}

const order: TaskState[] = ['done', 'failed', 'poison', 'cancelled', 'parked', 'running', 'queued'];

/** What was done, changed, failed and why, as Markdown. */
export function reportAsMarkdown({ states, usage, tasks }: Report): string {
  const counts = order.filter((state) => states[state] > 0).map((state) => `${states[state]} ${state}`);
  const lines = [
    '# Fleet report',
    '',
    `${counts.join(', ') || 'nothing'}. ${usage.turns} turns, ${usage.inputTokens + usage.outputTokens} tokens, $${usage.cost.toFixed(2)}.`,
    '',
    '| task | state | workspace | changes | check | time | why |',
    '| ---- | ----- | --------- | ------- | ----- | ---- | --- |',
    ...tasks.map((task) => `| ${cellsOf(task).map(cell).join(' | ')} |`),
  ];
  for (const task of tasks.filter(({ outcome }) => outcome && outcome.files > 0))
    lines.push('', ...detailsOf(task));
  return `${lines.join('\n')}\n`;
}

function detailsOf({ task, title, outcome }: TaskRecord): string[] {
  const { summary, added, removed, leftOut, response } = outcome!;
  return [
    `## ${title} (${task.id})`,
    '',
    `${summary} (+${added} -${removed})`,
    ...leftOut.map((sentence) => `- left out: ${sentence}`),
    '',
    ...response
      .trim()
      .split('\n')
      .map((line) => `> ${line}`),
  ];
}

function cellsOf({ task, title, state, outcome, failure, startedAt, endedAt }: TaskRecord): string[] {
  const { workspace } = task;
  const seconds = startedAt && endedAt ? `${((endedAt - startedAt) / 1_000).toFixed(1)} s` : '';
  return [
    title,
    state,
    workspace.kind === 'folder'
      ? workspace.path
      : `${workspace.url}${workspace.ref ? ` ${workspace.ref}` : ''}`,
    outcome?.files ? `${outcome.summary} (+${outcome.added} -${outcome.removed})` : '',
    outcome?.check ? (outcome.check.passed ? 'passed' : outcome.check.ended) : '',
    seconds,
    state === 'done' ? '' : (failure?.message ?? ''),
  ];
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}

/** The same as a page without scripts. */
export function reportAsHtml(report: Report): string {
  const counts = order
    .filter((state) => report.states[state] > 0)
    .map((state) => `<b class="${state}">${report.states[state]}</b> ${state}`);
  const rows = report.tasks.map(
    (task) =>
      `<tr class="${task.state}">${cellsOf(task)
        .map((text) => `<td>${escaped(text)}</td>`)
        .join('')}</tr>`,
  );
  const details = report.tasks
    .filter(({ outcome }) => outcome && outcome.files > 0)
    .map(
      ({ title, task, outcome }) =>
        `<h2>${escaped(title)}</h2><p><code>${escaped(task.id)}</code> ${escaped(outcome!.summary)} (+${outcome!.added} -${outcome!.removed})</p><pre>${escaped(outcome!.response.trim())}</pre>`,
    );
  const { usage } = report;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Fleet report</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1c1e21; background: #fff; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; overflow-wrap: anywhere; }
td:nth-child(2) { font-weight: 600; }
.done td:nth-child(2), b.done { color: #1a7f37; }
.failed td:nth-child(2), .poison td:nth-child(2), b.failed, b.poison { color: #b42318; }
.parked td:nth-child(2), b.parked { color: #8a5a00; }
pre { white-space: pre-wrap; background: #f5f6f7; padding: .8rem; border-radius: 6px; }
</style>
<h1>Fleet report</h1>
<p>${counts.join(', ') || 'nothing'}. ${usage.turns} turns, ${usage.inputTokens + usage.outputTokens} tokens, $${usage.cost.toFixed(2)}.</p>
<table>
<thead><tr><th>task</th><th>state</th><th>workspace</th><th>changes</th><th>check</th><th>time</th><th>why</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
${details.join('\n')}
</html>
`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

/** Writes `PATH.md` and `PATH.html`. */
export async function writeReport(path: string, report: Report): Promise<void> {
  await writeFile(`${path}.md`, reportAsMarkdown(report));
  await writeFile(`${path}.html`, reportAsHtml(report));
}
