import type { ToolReport } from '@toolwright/core/testing';
import { exitCodes } from '../../base/exit-codes.js';
import { print } from '../../base/print.js';

/** A report with where the tool comes from. */
export interface PlacedReport extends ToolReport {
  from: string;
}

const verdicts: Record<ToolReport['grade'], string> = {
  A: 'keeps every promise',
  B: 'works; something can be improved',
  C: 'works, but not with every model',
  F: 'something needs fixing',
};

const words = { error: 'mend', warning: 'improve', note: 'note' } as const;

/** `what` names all of them together. */
export function printReports(reports: readonly PlacedReport[], what = 'tools'): void {
  for (const report of reports) print(textOf(report));
  if (reports.length > 1) {
    const counts = (['A', 'B', 'C', 'F'] as const).map(
      (grade) => `${reports.filter((report) => report.grade === grade).length} ${grade}`,
    );
    print(`${reports.length} ${what}: ${counts.join(', ')}`);
  }
}

function textOf({ name, from, grade, aspects, findings }: PlacedReport): string {
  const rows = aspects.map(({ aspect, state }) => `  ${state.padEnd(11)}${aspect}`);
  const fixes = findings.map(({ check, level, message }) => {
    const [first, ...more] = message.split('\n');
    return [`  ${words[level]} (${check}): ${first}`, ...more.map((line) => `    ${line}`)].join('\n');
  });
  const what = fixes.length > 0 ? ['', ...fixes] : [];
  return [`${name}, from ${from}`, ...rows, ...what, '', `Grade ${grade}: ${verdicts[grade]}.`].join('\n');
}

export function worstExitCode(reports: readonly ToolReport[]): number {
  return reports.some(({ grade }) => grade === 'F') ? exitCodes.failure : exitCodes.done;
}
