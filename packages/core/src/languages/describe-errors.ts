import { plural } from '@toolwright/machine/base/amounts.js';
import { foreignSentence, foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';

/** One error of a source file, as a language server puts it; lines and columns count from 1. */
export interface ErrorInSource {
  path: string;
  line: number;
  column: number;
  message: string;
  code: string;
}

/** Errors that changes have brought, bounded: what the model is told with the response of a call, and the user with its end. */
export interface NewErrors {
  /** The server that found them. */
  server: string;
  /** Their number, those that are left out included. */
  total: number;
  /** The number of files that they are in. */
  files: number;
  /** They come from changes of earlier calls. */
  isLate: boolean;
  errors: ErrorInSource[];
}

/** The errors of one file that are told. */
export interface FileErrors {
  path: string;
  errors: readonly SourceError[];
}

const MOST_ERRORS = 10;
const MOST_PER_FILE = 5;
const LONGEST_MESSAGE = 300;
const LONGEST_NAME = 60;

/** Bounds the errors that a server has found after a change, those of the changed files first; null where there are none. */
export function boundErrors(
  files: readonly FileErrors[],
  { show, server, isLate }: { show(path: string): string; server: string; isLate: boolean },
): NewErrors | null {
  const all = files.filter(({ errors }) => errors.length > 0);
  const total = all.reduce((sum, { errors }) => sum + errors.length, 0);
  if (total === 0) return null;
  const errors = all.flatMap((file) =>
    inOrder(file.errors)
      .slice(0, MOST_PER_FILE)
      .map((error) => errorIn(show(file.path), error)),
  );
  return { server, total, files: all.length, isLate, errors: errors.slice(0, MOST_ERRORS) };
}

/** Words them for the model, and for a user who wants to see all: a line per error. */
export function describeErrors({ server, total, files, isLate, errors }: NewErrors): string {
  const more = total - errors.length;
  const by = server === '' ? '' : `, says ${foreignText(server, LONGEST_NAME)}`;
  return [
    `${plural(total, 'new error')} after ${isLate ? 'your earlier changes' : 'this change'}${by}:`,
    ...errors.map(lineOf),
    ...(more > 0 ? [`and ${more} more in ${plural(files, 'file')}.`] : []),
  ].join('\n');
}

const MOST_NAMED = 3;
const LONGEST_BRIEF = 60;

/** One line for the user, under the call that they came with. */
export function summarizeErrors(found: readonly NewErrors[]): string {
  const total = found.reduce((sum, each) => sum + each.total, 0);
  const named = found.flatMap(({ errors }) => errors).slice(0, MOST_NAMED);
  const places = named.map(
    ({ path, line, message }) => `${foreignText(path)}:${line} ${foreignSentence(message, LONGEST_BRIEF)}`,
  );
  const when = found.every(({ isLate }) => isLate) ? ' after earlier changes' : '';
  const more = total > named.length ? `; and ${total - named.length} more` : '';
  return `${plural(total, 'new error')}${when}: ${places.join('; ')}${more}`;
}

function inOrder(errors: readonly SourceError[]): SourceError[] {
  return [...errors].sort((one, other) => one.range.start.line - other.range.start.line);
}

function errorIn(path: string, { range, message, code }: SourceError): ErrorInSource {
  const { line, character } = range.start;
  const said = foreignSentence(message.replace(/\s*\n\s*/g, ' ').trim(), LONGEST_MESSAGE);
  return {
    path,
    line: line + 1,
    column: character + 1,
    message: said,
    code: foreignText(code, LONGEST_NAME),
  };
}

function lineOf({ path, line, column, message, code }: ErrorInSource): string {
  return `${foreignText(path)}:${line}:${column}: ${message}${code === '' ? '' : ` (${code})`}`;
}
