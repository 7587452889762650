import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type CheckedRow, checkRow, type RowDefaults, type TaskRow } from './check-row.js';
import type { SourceEntry, TaskFault, TextPieces } from './source-row.js';

/** The result of reading a file of tasks once. */
export interface CheckedTasks {
  count: number;
  /** The first faults of the file; nothing is submitted while there is one. */
  faults: TaskFault[];
  faultCount: number;
}

/** A file of tasks, read once to be checked and once more for its tasks, so that only a few are in memory at a time. */
export interface TaskFile {
  check(): Promise<CheckedTasks>;
  /** Throws where the file is not as it was checked. */
  rows(): AsyncGenerator<TaskRow>;
  close(): Promise<void>;
}

/** The form of a file of tasks: by the ending of the file's name, or one repository or folder a line. */
type TaskForm = 'lines' | 'csv' | 'yaml' | 'repositories';

/** Opens JSON lines, YAML (a list of objects) or CSV with a head line, by the ending of the name; `-` is the standard input. */
export function openTasks(path: string, defaults: RowDefaults): Promise<TaskFile> {
  const ending = extname(path).toLowerCase();
  if (ending === '.csv') return openFile(path, 'csv', defaults);
  return openFile(path, ending === '.yaml' || ending === '.yml' ? 'yaml' : 'lines', defaults);
}

/** Opens a file with one repository or folder a line; empty lines and those that begin with # are passed over. */
export function openRepositories(path: string, defaults: RowDefaults): Promise<TaskFile> {
  return openFile(path, 'repositories', defaults);
}

async function openFile(path: string, form: TaskForm, defaults: RowDefaults): Promise<TaskFile> {
  const file = await openTwice(path);
  let checked = await stateOf(file);
  return {
    async check() {
      checked = await stateOf(file);
      return checkAll(await entriesOf(piecesOf(file), form), defaults);
    },
    async *rows() {
      const same = unchanged(file, checked);
      for await (const entry of await entriesOf(same, form)) {
        const result = checkEntry(entry, defaults);
        if ('row' in result) yield result.row;
        else throw new Error(changed);
      }
    },
    close: () => file.close(),
  };
}

/** Opens a file; a stream, which can be read only once, is first copied to a file without a name, which is gone once it is closed. */
async function openTwice(path: string): Promise<FileHandle> {
  const isStream = path === '-' || !(await stat(path)).isFile();
  if (!isStream) return open(path, 'r');
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-tasks-'));
  const copy = await open(join(folder, 'tasks'), 'wx+', 0o600);
  await rm(folder, { recursive: true, force: true });
  try {
    for await (const bytes of path === '-' ? process.stdin : createReadStream(path))
      await copy.writeFile(bytes as Buffer);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}

async function* piecesOf(file: FileHandle): TextPieces & AsyncGenerator<string> {
  let isFirst = true;
  for await (const piece of file.createReadStream({ encoding: 'utf8', start: 0, autoClose: false })) {
    yield isFirst ? (piece as string).replace(/^\uFEFF/, '') : (piece as string);
    isFirst = false;
  }
}

const changed =
  'The file of tasks was changed while its tasks were submitted. toolwright fleet status tells how many were.';

async function* unchanged(file: FileHandle, checked: string): AsyncGenerator<string> {
  for await (const piece of piecesOf(file)) {
    if ((await stateOf(file)) !== checked) throw new Error(changed);
    yield piece;
  }
}

async function stateOf(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true });
  return `${size} ${mtimeNs}`;
}

async function entriesOf(pieces: TextPieces, form: TaskForm): Promise<AsyncGenerator<SourceEntry>> {
  switch (form) {
    case 'csv':
      return (await import('./csv.js')).readCsv(pieces);
    case 'yaml':
      return (await import('./yaml.js')).readYaml(pieces);
    case 'lines':
      return (await import('./lines.js')).readJsonLines(pieces);
    case 'repositories':
      return (await import('./lines.js')).readRepositoryList(pieces);
  }
}

type CheckedEntry = Extract<CheckedRow, { row: unknown }> | { faults: TaskFault[] };

function checkEntry(entry: SourceEntry, defaults: RowDefaults): CheckedEntry {
  if ('fault' in entry) return { faults: [entry.fault] };
  const { value, placeOf } = entry.row;
  const result = checkRow(value, defaults);
  if ('row' in result) return result;
  const faults = result.problems.map(({ field, message }) => ({
    ...placeOf(field),
    message: field === null ? message : `${field} ${message}`,
  }));
  return { faults: faults.sort((one, other) => one.line - other.line || one.column - other.column) };
}

const MOST_FAULTS = 50;

async function checkAll(entries: AsyncIterable<SourceEntry>, defaults: RowDefaults): Promise<CheckedTasks> {
  const checked: CheckedTasks = { count: 0, faults: [], faultCount: 0 };
  for await (const entry of entries) {
    const result = checkEntry(entry, defaults);
    if ('row' in result) checked.count += 1;
    else {
      checked.faultCount += result.faults.length;
      checked.faults.push(...result.faults.slice(0, MOST_FAULTS - checked.faults.length));
    }
  }
  if (checked.count > 0 || checked.faultCount > 0) return checked;
  return { count: 0, faults: [{ line: 1, column: 1, message: 'there is no task in it' }], faultCount: 1 };
}
