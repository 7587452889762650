import { isAbsolute } from 'node:path';
import { isJsonObject } from '@toolwright/core/front-end';
import { isRemote } from './check-row.js';
import type { Task } from './task.js';

/** A text of the queue as its task; throws where it is none. */
export function taskIn(text: string): Task {
  const value = orNothing(text);
  if (isTask(value)) return value;
  throw new Error('an entry of the queue was no task, and was taken out');
}

function orNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** True for a task that this program could have submitted: whoever reaches the store can write anything there. */
export function isTask(value: unknown): value is Task {
  if (!isJsonObject(value)) return false;
  const { format, id, prompt, workspace, labels, model, check, budget, generation, piece } = value;
  return (
    Number.isInteger(format) &&
    // The id is a part of the names of files and subjects.
    isText(id) &&
    /^[A-Za-z0-9_-]{1,100}$/.test(id) &&
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
