import { isAbsolute, resolve } from 'node:path';
import { didYouMean, isJsonObject, nearest } from '@toolwright/core/front-end';
import { TASK_FORMAT, type Task, type TaskBudget, type TaskWorkspace } from './task.js';

/** A fault in one field of a row. */
export interface RowProblem {
  /** The field, or null for the row as a whole. */
  field: string | null;
  message: string;
}

/** A task without the id, which it gets when it is submitted. */
export type TaskRow = Omit<Task, 'id'>;

export type CheckedRow = { row: TaskRow } | { problems: RowProblem[] };

/** A task stands in its record with what became of it; servers take no record above 1 MB. */
const MOST_BYTES = 800_000;

/** The names that a row may have. */
export const taskFields = [
  'format',
  'prompt',
  'command',
  'skill',
  'arguments',
  'folder',
  'repo',
  'ref',
  'model',
  'turns',
  'tokens',
  'minutes',
  'cost',
  'budget',
  'check',
  'labels',
  'label',
];
/** Without those that only a program writes, and the second name of labels. */
const toldFields = taskFields.filter((name) => !['format', 'budget', 'label'].includes(name));
const limits = ['turns', 'tokens', 'minutes', 'cost'] as const;
const counts = ['turns', 'tokens'];

/** Defaults for rows of tasks. */
export interface RowDefaults {
  /** For rows without one. */
  prompt?: string;
  /** For rows without one. */
  check?: string;
  /** The reason to refuse a task that is well formed; null where it may be submitted. */
  refuse?(row: TaskRow): string | null;
  /** Relative folders are inside this one. */
  directory: string;
}

/** A row of any format as a task, or everything that is wrong with it. */
export function checkRow(value: unknown, defaults: RowDefaults): CheckedRow {
  if (!isJsonObject(value)) return { problems: [{ field: null, message: 'expected an object' }] };
  const problems: RowProblem[] = [];
  const tell = (field: string, message: string): void => void problems.push({ field, message });
  for (const key of Object.keys(value).filter((name) => !taskFields.includes(name)))
    tell(key, unknownField(key));
  const row: TaskRow = {
    format: formatOf(value, tell),
    prompt: promptOf(value, defaults, tell),
    workspace: workspaceOf(value, defaults, tell),
    labels: labelsOf(value, tell),
  };
  const piece = pieceOf(value);
  if (piece) row.piece = piece;
  const budget = budgetOf(value, tell);
  if (Object.keys(budget).length > 0) row.budget = budget;
  const model = textOf(value, 'model', tell);
  if (model !== undefined) row.model = model;
  const check = textOf(value, 'check', tell) ?? defaults.check;
  if (check !== undefined) row.check = check;
  if (Buffer.byteLength(JSON.stringify(row)) > MOST_BYTES)
    problems.push({ field: null, message: 'the task is longer than 800 KB' });
  const refusal = problems.length === 0 ? defaults.refuse?.(row) : null;
  if (refusal) problems.push({ field: null, message: refusal });
  return problems.length > 0 ? { problems } : { row };
}

export function unknownField(name: string): string {
  const near = didYouMean(nearest(name, taskFields, 1));
  return near ? `is not known. ${near}` : `is not known. The fields of a task are ${toldFields.join(', ')}.`;
}

type Tell = (field: string, message: string) => void;
type Fields = Record<string, unknown>;

function textOf(row: Fields, name: string, tell: Tell): string | undefined {
  const value = row[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  tell(name, 'must be a text');
  return undefined;
}

/** The command or the skill of a row, by its name. */
function pieceOf({ command, skill }: Fields): Task['piece'] {
  if (typeof command === 'string' && command !== '')
    return { kind: 'command', name: command.replace(/^\//, '').split(/\s/)[0]! };
  return typeof skill === 'string' && skill !== '' ? { kind: 'skill', name: skill } : undefined;
}

function formatOf({ format: given }: Fields, tell: Tell): number {
  if (given === undefined || given === null || given === '') return TASK_FORMAT;
  // The cells of CSV are texts.
  const format = typeof given === 'string' ? Number(given) : given;
  if (format === TASK_FORMAT) return format;
  const isNewer = Number.isInteger(format) && (format as number) > TASK_FORMAT;
  tell(
    'format',
    isNewer ? `is ${format}, and this version knows ${TASK_FORMAT}` : `must be the number ${TASK_FORMAT}`,
  );
  return TASK_FORMAT;
}

function promptOf(row: Fields, { prompt: usual }: RowDefaults, tell: Tell): string {
  const prompt = textOf(row, 'prompt', tell);
  const command = textOf(row, 'command', tell);
  const skill = textOf(row, 'skill', tell);
  const given = [prompt, command, skill].filter((text) => text !== undefined);
  if (given.length > 1) tell('prompt', 'is given together with a command or skill; one of them is enough');
  const words = textOf(row, 'arguments', tell);
  if (words !== undefined && command === undefined && skill === undefined)
    tell('arguments', 'goes with a command or a skill');
  if (command !== undefined) return `/${command.replace(/^\//, '')}${words ? ` ${words}` : ''}`;
  if (skill !== undefined) return `Use the skill ${skill}.${words ? ` ${words}` : ''}`;
  const text = prompt ?? usual;
  const isWritten = typeof row['prompt'] === 'string' || row['prompt'] == null;
  if (isWritten && !text?.trim()) tell('prompt', 'is missing');
  return text ?? '';
}

function workspaceOf(row: Fields, { directory }: RowDefaults, tell: Tell): TaskWorkspace {
  const folder = textOf(row, 'folder', tell);
  const url = textOf(row, 'repo', tell);
  const ref = textOf(row, 'ref', tell);
  if (folder !== undefined && url !== undefined)
    tell('repo', 'is given together with a folder; a task has only one of them');
  if (url !== undefined && !isRemote(url) && !isAbsolute(url)) tell('repo', GIT_RULE);
  if (ref !== undefined && (url === undefined || !isRemote(url))) tell('ref', 'goes with a repo by address');
  if (ref?.startsWith('-')) tell('ref', 'must not begin with -');
  if (url !== undefined && isRemote(url)) return { kind: 'git', url, ref };
  return { kind: 'folder', path: resolve(directory, folder ?? url ?? '.') };
}

const GIT_RULE =
  'must be an https:// or ssh:// address without a password, user@host:path, or an absolute path';

/** https and ssh only: other ways of git can run programs or read any file. Credentials in an address would end in the store. */
export function isRemote(url: string): boolean {
  if (/^[\w.-]+@[\w.-]+:[\w./~-]+$/.test(url)) return true;
  if (!/^(https|ssh):\/\//.test(url) || !URL.canParse(url)) return false;
  const { password, protocol, username } = new URL(url);
  return password === '' && (protocol === 'ssh:' || username === '');
}

function labelsOf(row: Fields, tell: Tell): string[] {
  const value = row['labels'] ?? row['label'];
  if (value === undefined || value === null || value === '') return [];
  const labels = typeof value === 'string' ? value.split(/[;,]/).map((label) => label.trim()) : value;
  if (
    Array.isArray(labels) &&
    labels.every((label) => typeof label === 'string' && /^[\w.-]{1,64}$/.test(label))
  )
    return labels as string[];
  tell('labels', 'must be names of letters, digits, . _ and -');
  return [];
}

function budgetOf(row: Fields, tell: Tell): TaskBudget {
  const inside = row['budget'] ?? {};
  if (!isJsonObject(inside)) tell('budget', 'must be an object of turns, tokens, minutes, cost');
  const given: Fields = isJsonObject(inside) ? { ...inside, ...pick(row) } : pick(row);
  const budget: TaskBudget = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === '') continue;
    const number = Number(value);
    if (!limits.includes(name as 'turns'))
      tell(`budget.${name}`, `is not known. The limits are ${limits.join(', ')}`);
    else if (!Number.isFinite(number) || number <= 0) tell(name, 'must be a number above 0');
    else if (counts.includes(name) && !Number.isInteger(number)) tell(name, 'must be a whole number');
    else budget[name as 'turns'] = number;
  }
  return budget;
}

function pick(row: Fields): Fields {
  return Object.fromEntries(limits.flatMap((name) => (name in row ? [[name, row[name]]] : [])));
}
