import { writeFile } from 'node:fs/promises';
import type { Report } from './report.js';
import { reportAsHtml } from './report-html.js';
import { reportAsMarkdown } from './report-markdown.js';

/** Writes `PATH.md` and `PATH.html`. */
export async function writeReport(path: string, report: Report): Promise<void> {
  await writeFile(`${path}.md`, reportAsMarkdown(report));
  await writeFile(`${path}.html`, reportAsHtml(report));
}
