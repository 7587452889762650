import { isAbsolute } from 'node:path';
import { isJsonObject, jsonIn } from '@toolwright/core/front-end';
import { isRemote } from './check-row.js';
import { type QueueEntry, TASK_FORMAT, type Task } from './task.js';

/** What stands in the queue and is no task of any version. */
export class NoTask extends Error {}

/** A text of the queue as its entry; throws `NoTask` where it is none. */
export function requireEntry(text: string): QueueEntry {
  const entry = entryIn(text);
  if (entry) return entry;
  throw new NoTask('an entry of the queue was no task, and was taken out');
}

/** A text of the queue as its entry; null where it is none. */
export function entryIn(text: string): QueueEntry | null {
  const value = jsonIn(text);
  return isTask(value) || isOfNewerFormat(value) ? value : null;
}

/** True for a task of a newer format, whatever its shape. */
export function isOfNewerFormat(value: unknown): value is QueueEntry {
  if (!isJsonObject(value)) return false;
  const { format, id } = value;
  return Number.isInteger(format) && Number(format) > TASK_FORMAT && isId(id);
}

/** True for a task that this program could have submitted: whoever reaches the store can write anything there. */
export function isTask(value: unknown): value is Task {
  if (!isJsonObject(value)) return false;
  const { format, id, prompt, workspace, labels, model, check, budget, generation, piece } = value;
  return (
    Number.isInteger(format) &&
    isId(id) &&
    isText(prompt) &&
    isWorkspace(workspace) &&
    (piece === undefined || (isJsonObject(piece) && isText(piece['name']))) &&
    Array.isArray(labels) &&
    labels.every(isText) &&
    [model, check].every((each) => each === undefined || isText(each)) &&
    (generation === undefined || Number.isInteger(generation)) &&
    (budget === undefined || (isJsonObject(budget) && Object.values(budget).every(Number.isFinite)))
  );
}

/** The id is a part of the names of files and subjects. */
function isId(value: unknown): boolean {
  return isText(value) && /^[A-Za-z0-9_-]{1,100}$/.test(value);
}

function isWorkspace(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { kind, path, url, ref } = value;
  if (kind === 'folder') return isText(path) && isAbsolute(path);
  return (
    kind === 'git' &&
    isText(url) &&
    isRemote(url) &&
    (ref === undefined || (isText(ref) && !ref.startsWith('-')))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
