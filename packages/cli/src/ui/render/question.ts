import { type Choice, type Question, viewAll } from '../../app/question.js';
import type { OpenQuestion } from '../../app/state.js';
import { renderDiff } from './diff.js';
import { indented, line, type StyledLine, wrap } from './line.js';

/** Everything of a question but its choices. */
export function renderQuestion({ title, facts, text, diff }: Question, width: number): StyledLine[] {
  const inset = { text: '  ' };
  const body = [
    ...facts.flatMap((fact) => fact.split('\n').flatMap((row) => wrap(line(row), width - 2))),
    ...(text
      ? text
          .split('\n')
          .flatMap((row) => wrap(line(row, { color: 'cyan' }), width - 2, { preformatted: true }))
      : []),
    ...(diff ? renderDiff(diff, width - 2) : []),
  ];
  return [
    ...indented(
      wrap(line(title, { bold: true }), width - 2),
      { text: '? ', style: { color: 'yellow', bold: true } },
      inset,
    ),
    ...indented(body, inset),
  ];
}

/** The beginning of a text that is longer than the screen, and how much is missing. */
export function fitted(
  lines: readonly StyledLine[],
  rows: number,
): { shown: readonly StyledLine[]; hidden: number } {
  if (lines.length <= rows) return { shown: lines, hidden: 0 };
  const shown = lines.slice(0, Math.max(1, rows - 1));
  return { shown, hidden: lines.length - shown.length };
}

export function hiddenNotice(hidden: number, width: number): StyledLine[] {
  const what = `${hidden} more line${hidden === 1 ? ' is' : 's are'} hidden`;
  const notice = line(`${what}: v shows them. Enter alone means no.`, { color: 'yellow', bold: true });
  return indented(wrap(notice, width - 2), { text: '  ' });
}

export function renderChoices(open: OpenQuestion, width: number): StyledLine[] {
  const { question, isLong, showsAll } = open;
  const choices = isLong && !showsAll ? [...question.choices, viewAll] : question.choices;
  const column = Math.max(...choices.map(({ key }) => key.length)) + 2;
  return choices.flatMap((choice) => renderChoice(choice, column, width));
}

function renderChoice({ key, label }: Choice, column: number, width: number): StyledLine[] {
  return indented(
    wrap(line(label), width - column - 2),
    { text: `  ${key.padEnd(column)}`, style: { bold: true, color: 'yellow' } },
    { text: ' '.repeat(column + 2) },
  );
}

/** Rows a question may take so that its choices and the answer stay on the same screen. */
export function rowsForQuestion(question: Question, screen: { columns: number; rows: number }): number {
  const choices = [...question.choices, viewAll].flatMap((choice) =>
    renderChoice(choice, 4, screen.columns - 1),
  );
  return Math.max(3, screen.rows - choices.length - 4);
}

export function isLongQuestion(question: Question, screen: { columns: number; rows: number }): boolean {
  return renderQuestion(question, screen.columns - 1).length > rowsForQuestion(question, screen);
}
