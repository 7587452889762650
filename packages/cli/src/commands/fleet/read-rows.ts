import { resolve } from 'node:path';
import { messageOf } from '@toolwright/core/front-end';
import {
  type CheckedTasks,
  type FleetLimits,
  isOnServers,
  openRepositories,
  openTasks,
  type RowDefaults,
  type TaskFile,
  type TaskRow,
} from '@toolwright/fleet';
import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';
import { fleetPlace, isFolder } from './open-fleet.js';
import { ownRedactor } from './work/own-secrets.js';

export const taskFlags: readonly Flag[] = [
  {
    name: 'repos',
    value: 'LIST',
    help: 'A file with one folder or repository a line, each a task with --prompt.',
  },
  { name: 'prompt', short: 'p', value: 'TEXT', help: 'The prompt of tasks that have none of their own.' },
  { name: 'check', value: 'COMMAND', help: 'The check of tasks that have none of their own.' },
  {
    name: 'limit',
    value: 'NAME=N',
    repeated: true,
    help: 'At most N tasks at a time: of the whole fleet (fleet), of each repository (repository), or with a label; NAME=off lifts it.',
  },
  {
    name: 'rate',
    value: 'PROVIDER=N[/TOKENS]',
    repeated: true,
    help: 'Requests (and tokens) a minute to a provider, shared by all workers.',
  },
];

/**
 * Opens the tasks that the command line names, once all are found good; every fault of the file is told at once, with its place.
 * `folderFor` throws for a folder that this machine, where the tasks are worked on, does not work in.
 */
export async function openRows(args: Arguments, folderFor?: (path: string) => string): Promise<TaskFile> {
  const [path, ...further] = args.words;
  const { values } = args;
  const list = values.get('repos');
  if (further.length > 0 || (path === undefined) === (list === undefined))
    throw new UsageError('Name one file of tasks (JSON lines, YAML or CSV), or --repos LIST --prompt "…".');
  const defaults: RowDefaults = {
    directory: resolve(values.get('workspace') ?? '.'),
    prompt: values.get('prompt'),
    check: values.get('check'),
    refuse: await refusalsOf(args, folderFor),
  };
  const name = (path ?? list)!;
  const failed = (error: unknown): never => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new UsageError(`${name} can't be read: ${unreadable[code] ?? messageOf(error)}`);
  };
  const open = path === undefined ? openRepositories : openTasks;
  const file = await open(name, defaults).catch(failed);
  try {
    requireFaultless(name, await file.check().catch(failed));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function requireFaultless(name: string, { faults, faultCount }: CheckedTasks): void {
  if (faultCount === 0) return;
  const lines = faults.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`);
  if (faultCount > faults.length) lines.push(`… and ${faultCount - faults.length} more`);
  if (faults.some(({ message }) => message.startsWith('it is not JSON')))
    lines.push('A line of it is a task, such as {"prompt": "list src"}. docs/fleet.md has all fields.');
  throw new UsageError(`Nothing was submitted:\n${lines.join('\n')}`);
}

const unreadable: Record<string, string> = {
  ENOENT: 'there is no such file.',
  EISDIR: 'it is a folder.',
};

/** Refuses tasks that hold a secret, and those in folders that are not here where all workers are on this machine. */
async function refusalsOf(
  args: Arguments,
  folderFor: (path: string) => string = (path) => path,
): Promise<(row: TaskRow) => string | null> {
  // Workers have keys of their own; one in a task would lie in the store for all to read.
  const redactor = await ownRedactor(args);
  const isHere = !isOnServers(fleetPlace(args).place);
  const folders = new Map<string, string | null>();
  const refusalOf = (path: string): string | null => {
    if (!isFolder(path)) return `the folder ${path} is not on this machine`;
    try {
      folderFor(path);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  };
  return (row) => {
    const text = JSON.stringify(row);
    if (redactor.known(text) !== text)
      return 'the task holds a secret of this environment or of your settings';
    if (!isHere || row.workspace.kind !== 'folder') return null;
    const { path } = row.workspace;
    if (!folders.has(path)) folders.set(path, refusalOf(path));
    return folders.get(path) ?? null;
  };
}

export function limitsOf({ lists }: Arguments): FleetLimits | null {
  const limits: FleetLimits = { slots: {}, rates: {} };
  for (const text of lists.get('limit') ?? []) {
    const [, name, count] = /^([\w.-]+)=(\d+|off)$/.exec(text) ?? [];
    if (name === undefined || Number(count) < 1)
      throw new UsageError(`--limit ${text}: write NAME=N, such as repository=1, or NAME=off.`);
    limits.slots[name] = count === 'off' ? 0 : Number(count);
  }
  for (const text of lists.get('rate') ?? []) {
    const [, name, requests, tokens] = /^([\w.-]+)=(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
    if (name === undefined)
      throw new UsageError(`--rate ${text}: write PROVIDER=REQUESTS or PROVIDER=REQUESTS/TOKENS.`);
    limits.rates[name] = {
      requests: Number(requests),
      tokens: tokens === undefined ? undefined : Number(tokens),
    };
  }
  return Object.keys(limits.slots).length + Object.keys(limits.rates).length > 0 ? limits : null;
}
