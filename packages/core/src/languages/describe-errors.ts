import { plural } from '@toolwright/machine/base/amounts.js';
import { foreignSentence, foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';

/** The errors of one file that the model is told. */
export interface FileErrors {
  path: string;
  errors: readonly SourceError[];
}

const MOST_ERRORS = 10;
const MOST_PER_FILE = 5;
const LONGEST_MESSAGE = 300;

/** Words the errors for the model after a change that broke something: a line per error, those of the changed files first. */
export function describeErrors(
  files: readonly FileErrors[],
  { show, server, isLate }: { show(path: string): string; server: string; isLate: boolean },
): string | null {
  const all = files.filter(({ errors }) => errors.length > 0);
  const total = all.reduce((sum, { errors }) => sum + errors.length, 0);
  if (total === 0) return null;
  const lines = all
    .flatMap(({ path, errors }) =>
      inOrder(errors)
        .slice(0, MOST_PER_FILE)
        .map((error) => lineOf(show(path), error)),
    )
    .slice(0, MOST_ERRORS);
  const more = total - lines.length;
  const by = server === '' ? '' : `, says ${foreignText(server, 60)}`;
  return [
    `${plural(total, 'new error')} after ${isLate ? 'your earlier changes' : 'this change'}${by}:`,
    ...lines,
    ...(more > 0 ? [`and ${more} more in ${plural(all.length, 'file')}.`] : []),
  ].join('\n');
}

function inOrder(errors: readonly SourceError[]): SourceError[] {
  return [...errors].sort((one, other) => one.range.start.line - other.range.start.line);
}

function lineOf(shown: string, { range, message, code }: SourceError): string {
  const { line, character } = range.start;
  const said = foreignSentence(message.replace(/\s*\n\s*/g, ' ').trim(), LONGEST_MESSAGE);
  return `${foreignText(shown)}:${line + 1}:${character + 1}: ${said}${code === '' ? '' : ` (${foreignText(code, 60)})`}`;
}
