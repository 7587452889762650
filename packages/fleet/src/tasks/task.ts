import { isAbsolute, relative } from 'node:path';

/** Version of the format of tasks. A worker leaves tasks of a newer format to others. */
export const TASK_FORMAT = 1;

/** The folder that a task works on. */
export type TaskWorkspace =
  /** An absolute path on the machine of the worker. */
  | { kind: 'folder'; path: string }
  /** A repository, cloned by the worker. */
  | { kind: 'git'; url: string; ref?: string };

/** The most that a task may use; what is left out has no limit. */
export interface TaskBudget {
  turns?: number;
  tokens?: number;
  minutes?: number;
  /** Dollars. */
  cost?: number;
}

/** A piece of work. It can only narrow: mode, folders, hosts and rules are those of the worker. */
export interface Task {
  format: number;
  id: string;
  /** A text, or a custom command with its arguments, which begins with a slash. */
  prompt: string;
  /** The command or the skill that the prompt names: it fails where the worker has none of this name. */
  piece?: { kind: 'command' | 'skill'; name: string };
  workspace: TaskWorkspace;
  model?: string;
  budget?: TaskBudget;
  /** A command line that tells good work from bad; it runs sandboxed. */
  check?: string;
  labels: string[];
  /** Times that it was put into the queue; left out for the first. */
  generation?: number;
}

/** An entry of the queue: a task, or one of a newer format, of which no other member is known. */
export type QueueEntry = Pick<Task, 'format' | 'id' | 'generation'>;

/** The name under which tasks on the same files are counted. */
export function repositoryOf({ workspace }: Pick<Task, 'workspace'>): string {
  return workspace.kind === 'folder' ? workspace.path : workspace.url;
}

/** Gives the folder of a task as people read it, relative to the directory when it is inside. */
export function placeOf({ workspace }: Pick<Task, 'workspace'>, directory: string): string {
  if (workspace.kind === 'git') return `${workspace.url}${workspace.ref ? ` ${workspace.ref}` : ''}`;
  const path = relative(directory, workspace.path);
  return path.startsWith('..') || isAbsolute(path) ? workspace.path : path || '.';
}

const TITLE_LENGTH = 60;

export function titleOf({ prompt }: Pick<Task, 'prompt'>): string {
  const line = prompt.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}
