import type { Assignment } from 'unbash';
import { doubt, listUnknownProgram } from '../findings.js';
import type { ShellWord } from '../shell-word.js';
import { listInner } from './expansions.js';
import type { Scope } from './scope.js';
import { readSingle } from './words.js';

/** Variables that change how a command prints or what a test run is told, not what is run or reached. */
const harmlessNames = new Set(
  (
    'LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME TZ COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR ' +
    'CLICOLOR_FORCE CI NODE_ENV RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE ' +
    'LOG_LEVEL VERBOSE DEBUG'
  ).split(' '),
);

/** Judges `NAME=value` given as text, for `env` and the like. */
export function isHarmlessAssignment(text: string): boolean {
  const [, name, value] = /^(\w+)=([\w./:,+-]*)$/.exec(text) ?? [];
  return name !== undefined && value !== undefined && harmlessNames.has(name) && !value.includes('..');
}

/** Reads `NAME=value` before a command. */
export function readPrefix(assignment: Assignment, scope: Scope): string {
  if (assignment.index === undefined && !assignment.append && assignment.value.type === 'Word') {
    const value = readSingle(assignment.value, scope);
    const text = `${assignment.name}=${value.text}`;
    if (value.kind === 'literal' && isHarmlessAssignment(text))
      return `${assignment.name}=${value.canonical} `;
  } else listInner(assignment, scope);
  listUnknownProgram(scope.findings, `setting ${assignment.name} may change what is run`);
  return '';
}

/** Reads `name=value` by itself, which sets a variable of the shell. */
export function readVariable(assignment: Assignment, scope: Scope): string {
  const { name, value } = assignment;
  if (!isOwnVariable(name)) {
    listInner(assignment, scope);
    listUnknownProgram(scope.findings, `setting ${name} may change what is run`);
    return '';
  }
  if (assignment.index !== undefined || assignment.append || value.type !== 'Word') {
    listInner(assignment, scope);
    doubt(scope.findings, `${assignment.text} is not simple enough to be sure about`);
    return '';
  }
  const word = readSingle(value, scope);
  bind(name, scope, [word]);
  return `${name}=${word.canonical}`;
}

/** A variable that means nothing to the shell or to programs. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !/^_$|_proxy$|^histchars$/.test(name);
}

/** Remembers a value, when no other assignment can interfere. */
export function bind(name: string, scope: Scope, words: readonly ShellWord[]): undefined {
  const [first] = words;
  if (scope.assigned.get(name) !== 1 || first === undefined) return;
  const values = words.flatMap((word) =>
    word.kind === 'literal' || word.kind === 'values' ? word.values : [],
  );
  if (words.length === 1 && first.kind === 'glob') scope.variables.set(name, first);
  else if (words.every((word) => word.kind === 'literal' || word.kind === 'values')) {
    scope.variables.set(name, { ...first, kind: 'values', text: '', values });
  }
}
