import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf } from '@toolwright/core';
import { checkRow, isRemote, type RowDefaults, type TaskRow } from './check-row.js';
import { readCsv } from './csv.js';
import type { SourceRow, SourceRows, TaskFault } from './source-row.js';

/** The tasks of a file, and what is wrong with others. */
export interface ReadTasks {
  rows: TaskRow[];
  /** Every fault of the file; nothing is submitted while there is one. */
  faults: TaskFault[];
}

/** The tasks of a file: JSON lines, YAML (a list of objects) or CSV with a head line, by the ending of its name. */
export async function readTasks(path: string, defaults: RowDefaults): Promise<ReadTasks> {
  const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  const kind = extname(path).toLowerCase();
  if (kind === '.csv') return checked(readCsv(text), defaults);
  if (kind === '.yaml' || kind === '.yml')
    return checked((await import('./yaml.js')).readYaml(text), defaults);
  return checked(readJsonLines(text), defaults);
}

/** A file with one repository or folder a line; empty lines and those that begin with # are passed over. */
export async function readRepositories(path: string, defaults: RowDefaults): Promise<ReadTasks> {
  const text = await readFile(path, 'utf8');
  const rows = text.split('\n').flatMap((content, index): SourceRow[] => {
    const name = content.trim();
    if (name === '' || name.startsWith('#')) return [];
    const column = content.indexOf(name) + 1;
    const [place, ref] = name.split(/\s+/);
    const value = isRemote(place!) ? { repo: place, ref } : { folder: place };
    return [{ value, placeOf: () => ({ line: index + 1, column }) }];
  });
  return checked({ rows, faults: [] }, defaults);
}

function checked({ rows, faults }: SourceRows, defaults: RowDefaults): ReadTasks {
  const found: TaskFault[] = [...faults];
  const tasks: TaskRow[] = [];
  for (const { value, placeOf } of rows) {
    const result = checkRow(value, defaults);
    if ('row' in result) tasks.push(result.row);
    else
      for (const { field, message } of result.problems)
        found.push({ ...placeOf(field), message: field === null ? message : `${field} ${message}` });
  }
  if (tasks.length === 0 && found.length === 0)
    found.push({ line: 1, column: 1, message: 'there is no task in it' });
  return {
    rows: tasks,
    faults: found.sort((one, other) => one.line - other.line || one.column - other.column),
  };
}

function readJsonLines(text: string): SourceRows {
  const rows: SourceRow[] = [];
  const faults: TaskFault[] = [];
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '') return;
    const line = index + 1;
    try {
      const value: unknown = JSON.parse(content);
      rows.push({ value, placeOf: (field) => ({ line, column: columnOf(content, field) }) });
    } catch (error) {
      const [, position] = /position (\d+)/.exec(messageOf(error)) ?? [];
      faults.push({
        line,
        column: Number(position ?? 0) + 1,
        message: `it is not JSON: ${messageOf(error)}`,
      });
    }
  });
  return { rows, faults };
}

function columnOf(content: string, field: string | null): number {
  if (field === null) return 1;
  return Math.max(0, content.indexOf(`"${field.split('.').at(-1)}"`)) + 1;
}
