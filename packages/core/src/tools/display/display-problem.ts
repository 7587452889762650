import { plural } from '@toolwright/machine/base/amounts.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { ifMeant, nearest } from '@toolwright/machine/base/nearest.js';

const ALLOWED =
  "A display is text, {kind: 'markdown', text}, {kind: 'diff', files}, {kind: 'table', title?, columns, rows, more?} or {kind: 'fields', title?, fields, more?}.";

const MOST_COLUMNS = 100;

type DisplayFault = string | null;

/** Null when a front end can draw this; else what is wrong with it and what a display is. */
export function displayProblem(value: unknown): string | null {
  const problem = typeof value === 'string' ? null : dataProblem(value);
  return problem === null ? null : `${problem}. ${ALLOWED}`;
}

function dataProblem(value: unknown): DisplayFault {
  if (!isJsonObject(value)) return `it is ${named(value)}`;
  const { kind, ...members } = value;
  switch (kind) {
    case 'markdown':
      return unknownMember(members, ['text']) ?? textProblem(members['text'], 'text');
    case 'diff':
      return unknownMember(members, ['files']) ?? eachProblem(members['files'], 'files', fileProblem);
    case 'table':
      return (
        unknownMember(members, ['title', 'columns', 'rows', 'more']) ??
        frameProblem(members) ??
        tableProblem(members)
      );
    case 'fields':
      return (
        unknownMember(members, ['title', 'fields', 'more']) ??
        frameProblem(members) ??
        eachProblem(members['fields'], 'fields', fieldProblem)
      );
    case undefined:
      return 'it has no kind';
    default:
      return `it has the kind ${JSON.stringify(kind)}${like(kind, ['markdown', 'diff', 'table', 'fields'])}`;
  }
}

function unknownMember(members: JsonObject, known: readonly string[]): DisplayFault {
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  return unknown === undefined ? null : `it has an unknown member ${unknown}${like(unknown, known)}`;
}

function like(word: unknown, known: readonly string[]): string {
  return ifMeant(nearest(String(word), known, 1));
}

function frameProblem({ title, more }: JsonObject): DisplayFault {
  const titleProblem = title === undefined ? null : textProblem(title, 'title');
  return titleProblem ?? (more === undefined ? null : countProblem(more, 'more'));
}

function tableProblem({ columns, rows }: JsonObject): DisplayFault {
  const problem = eachProblem(columns, 'columns', textProblem);
  if (problem !== null) return problem;
  const { length } = columns as unknown[];
  if (length === 0 || length > MOST_COLUMNS)
    return `columns has ${length} headings; a table has 1 to ${MOST_COLUMNS} columns`;
  return eachProblem(rows, 'rows', (row, place) => {
    const wrong = eachProblem(row, place, valueProblem);
    if (wrong !== null) return wrong;
    const cells = (row as unknown[]).length;
    return cells === length ? null : `${place} has ${plural(cells, 'value')} for ${plural(length, 'column')}`;
  });
}

function fieldProblem(field: unknown, place: string): DisplayFault {
  if (!Array.isArray(field) || field.length !== 2)
    return `${place} is ${named(field)}${Array.isArray(field) ? ` of ${field.length}` : ''} and not [name, value]`;
  return textProblem(field[0], `${place}[0]`) ?? valueProblem(field[1], `${place}[1]`);
}

const CHANGES = ['create', 'modify', 'delete', 'symlink', 'mode'];

function fileProblem(file: unknown, place: string): DisplayFault {
  if (!isJsonObject(file))
    return `${place} is ${named(file)} and not {path, change, unified, added, removed}`;
  const { path, change, unified, added, removed } = file;
  if (!CHANGES.includes(change as string))
    return `${place}.change is ${named(change)} and not one of ${CHANGES.join(', ')}`;
  return (
    textProblem(path, `${place}.path`) ??
    textProblem(unified, `${place}.unified`) ??
    countProblem(added, `${place}.added`) ??
    countProblem(removed, `${place}.removed`)
  );
}

/** `every` skips holes; `entries` does not. */
function eachProblem(
  list: unknown,
  place: string,
  check: (item: unknown, place: string) => DisplayFault,
): DisplayFault {
  if (!Array.isArray(list)) return `${place} is ${named(list)} and not a list`;
  for (const [index, item] of list.entries()) {
    const problem = check(item, `${place}[${index}]`);
    if (problem !== null) return problem;
  }
  return null;
}

function textProblem(value: unknown, place: string): DisplayFault {
  return typeof value === 'string' ? null : `${place} is ${named(value)} and not text`;
}

function countProblem(value: unknown, place: string): DisplayFault {
  return Number.isSafeInteger(value) && Number(value) >= 0
    ? null
    : `${place} is ${named(value)} and not a count`;
}

function valueProblem(value: unknown, place: string): DisplayFault {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return null;
  return `${place} is ${named(value)} and not text, a number, true, false or null`;
}

/** A value in the words of the author's language. */
function named(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === undefined || value === null || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { name = 'Object' } = value.constructor ?? {};
  return name === 'Object' ? 'an object' : `an object of the class ${name}`;
}
