import type { TaskRecord } from '../schedule/record.js';
import { placeOf } from '../tasks/task.js';
import type { Report } from './report.js';
import {
  cellsOf,
  changesIn,
  columns,
  countsOf,
  keptAs,
  usageOf,
  whyOf,
  withDetails,
} from './report-words.js';

/** Writes the report as Markdown: done, kept, failed and why, with the change sets. */
export function reportAsMarkdown(report: Report): string {
  const { tasks, more, directory } = report;
  const counts = countsOf(report).map(([state, count]) => `${count} ${state}`);
  const lines = [
    '# Fleet report',
    '',
    `${counts.join(', ') || 'nothing'}. ${usageOf(report)}.`,
    '',
    `| ${columns.join(' | ')} |`,
    `| ${columns.map((name) => '-'.repeat(name.length)).join(' | ')} |`,
    ...tasks.map((record) => rowOf(record, directory)),
  ];
  if (more > 0) lines.push('', `… and ${more} more.`);
  for (const record of withDetails(report)) lines.push('', ...detailsOf(record, report));
  return `${lines.join('\n')}\n`;
}

function rowOf(record: TaskRecord, directory: string): string {
  const cells = cellsOf(record, directory);
  return `| ${columns.map((name) => plain(cells[name])).join(' | ')} |`;
}

/** Text of a task, so that nothing in it acts as Markdown or HTML. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

function detailsOf(record: TaskRecord, { patches, directory }: Report): string[] {
  const { task, title, outcome, state } = record;
  const why = whyOf(record);
  const { check } = outcome ?? {};
  const patch = patches.get(task.id);
  const facts = [state, changesIn(record), keptAs(record)].filter(Boolean).join(', ');
  return [
    `## ${plain(`${placeOf(task, directory)}: ${title}`)}`,
    '',
    `\`${task.id}\`: ${plain(why === '' ? facts : `${facts}: ${why}`)}`,
    ...(outcome?.leftOut ?? []).map((sentence) => `- left out: ${plain(sentence)}`),
    ...fenced('text', outcome?.response),
    ...fenced('text', check && !check.passed ? check.output : undefined),
    ...fenced('diff', patch),
  ];
}

/** A block that its content can't close. */
function fenced(language: string, text: string | undefined): string[] {
  if (!text?.trim()) return [];
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return ['', `${fence}${language}`, text.trim(), fence];
}
