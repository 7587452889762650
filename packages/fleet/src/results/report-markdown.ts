import type { Report } from './report.js';
import { type ReportColumn, type ReportRow, type TaskDetails, wordReport } from './report-words.js';

/** Writes the report as Markdown: done, kept, failed and why, with the change sets. */
export function reportAsMarkdown(report: Report): string {
  const { counts, usage, columns, rows, more, details } = wordReport(report);
  const lines = [
    '# Fleet report',
    '',
    `${counts.map(([state, count]) => `${count} ${state}`).join(', ') || 'nothing'}. ${usage}.`,
    '',
    `| ${columns.join(' | ')} |`,
    `| ${columns.map((name) => '-'.repeat(name.length)).join(' | ')} |`,
    ...rows.map((row) => rowOf(row, columns)),
  ];
  if (more > 0) lines.push('', `… and ${more} more.`);
  for (const one of details) lines.push('', ...detailLines(one));
  return `${lines.join('\n')}\n`;
}

function rowOf({ cells }: ReportRow, columns: readonly ReportColumn[]): string {
  return `| ${columns.map((name) => plain(cells[name])).join(' | ')} |`;
}

/** Text of a task, so that nothing in it acts as Markdown or HTML. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

function detailLines({ id, state, heading, facts, why, leftOut, texts, patch }: TaskDetails): string[] {
  const outcome = [state, ...facts].join(', ');
  return [
    `## ${plain(heading)}`,
    '',
    `\`${id}\`: ${plain(why === '' ? outcome : `${outcome}: ${why}`)}`,
    ...leftOut.map((sentence) => `- left out: ${plain(sentence)}`),
    ...texts.flatMap((text) => fenced('text', text)),
    ...(patch === '' ? [] : fenced('diff', patch)),
  ];
}

/** A block that its content can't close. */
function fenced(language: string, text: string): string[] {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return ['', `${fence}${language}`, text, fence];
}
