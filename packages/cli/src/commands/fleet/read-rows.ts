import { resolve } from 'node:path';
import { createRedactor, messageOf, secretsInEnvironment } from '@toolwright/core';
import {
  type FleetLimits,
  type ReadTasks,
  readRepositories,
  readTasks,
  type TaskRow,
} from '@toolwright/fleet';
import { UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';
import type { Flag } from '../../command-line/flags.js';

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
    help: 'At most N tasks at a time: of the whole fleet (fleet), of each repository (repository), or with a label.',
  },
  {
    name: 'rate',
    value: 'PROVIDER=N[/TOKENS]',
    repeated: true,
    help: 'Requests (and tokens) a minute to a provider, shared by all workers.',
  },
];

const MOST_TOLD = 50;

/** The tasks that the command line names; every fault of the file is told at once, with its place. */
export async function rowsOf(args: Arguments): Promise<TaskRow[]> {
  const [path, ...further] = args.words;
  const { values } = args;
  const list = values.get('repos');
  if (further.length > 0 || (path === undefined) === (list === undefined))
    throw new UsageError('Name one file of tasks (JSON lines, YAML or CSV), or --repos LIST --prompt "…".');
  const defaults = { directory: resolve(values.get('workspace') ?? '.'), prompt: values.get('prompt') };
  const read = await readIt(path, list, defaults).catch((error: unknown) => {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new UsageError(
      `${path ?? list} can't be read: ${isGone ? 'there is no such file.' : messageOf(error)}`,
    );
  });
  const faults = [...read.faults, ...secretFaults(read)];
  if (faults.length > 0) {
    const lines = faults
      .slice(0, MOST_TOLD)
      .map(({ line, column, message }) => `${path ?? list}:${line}:${column}: ${message}`);
    const more = faults.length > MOST_TOLD ? [`… and ${faults.length - MOST_TOLD} more`] : [];
    throw new UsageError(`Nothing was submitted:\n${[...lines, ...more].join('\n')}`);
  }
  const check = values.get('check');
  return check === undefined ? read.rows : read.rows.map((row) => ({ check, ...row }));
}

function readIt(
  path: string | undefined,
  list: string | undefined,
  defaults: { directory: string; prompt: string | undefined },
): Promise<ReadTasks> {
  const { prompt, ...rest } = defaults;
  const given = prompt === undefined ? rest : { ...rest, prompt };
  return path === undefined ? readRepositories(list!, given) : readTasks(path, given);
}

/** Workers have keys of their own; one in a task would lie in the store for all to read. */
function secretFaults({ rows }: ReadTasks): ReadTasks['faults'] {
  const redactor = createRedactor(secretsInEnvironment(process.env));
  return rows.flatMap((row, index) => {
    const text = JSON.stringify(row);
    return redactor.known(text) === text
      ? []
      : [{ line: index + 1, column: 1, message: `task ${index + 1} holds a secret of this environment` }];
  });
}

export function limitsOf({ lists }: Arguments): FleetLimits | null {
  const limits: FleetLimits = { slots: {}, rates: {} };
  for (const text of lists.get('limit') ?? []) {
    const [, name, count] = /^([\w.-]+)=(\d+)$/.exec(text) ?? [];
    if (name === undefined || Number(count) < 1)
      throw new UsageError(`--limit ${text}: write NAME=N, such as repository=1.`);
    limits.slots[name] = Number(count);
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
