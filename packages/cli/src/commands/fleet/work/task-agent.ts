import { availableParallelism, hostname } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { type Agent, openState, SettingsError } from '@toolwright/core';
import {
  confirmParked,
  createClock,
  createIds,
  createWorkspace,
  freeMemory,
  ownMemory,
  sideBySide,
  stateFolderPath,
} from '@toolwright/core/front-end';
import {
  budgetLeft,
  type Engine,
  type OpenedTask,
  type OpenTaskOptions,
  openClones,
  openRoom,
  runTask,
  runWorker,
  type Submitted,
  type Task,
  type WorkerEnd,
  watchCores,
} from '@toolwright/fleet';
import { UsageError } from '../../../base/exit-codes.js';
import { warn } from '../../../base/print.js';
import type { Arguments } from '../../../command-line/args.js';
import { type Flag, permissionFlags, promptFlags } from '../../../command-line/flags.js';
import { openAgent, readSetup } from '../../../setup/runtime.js';
import { withFiles } from '../../prompt/headless-run.js';
import { missingPrices } from '../../prompt/limits.js';
import { leaseOf } from '../open-fleet.js';
import { ownRedactor } from './own-secrets.js';
import { requireSameModel } from './require-model.js';

const ofModels = ['provider', 'model', 'base-url', 'effort', 'fallback-model'];

/** Flags of whoever runs tasks: rights, folders and models are the worker's own. */
export const workerFlags: readonly Flag[] = [
  {
    name: 'root',
    value: 'DIR',
    repeated: true,
    help: 'A folder that tasks may work in or below (default: this one).',
  },
  ...permissionFlags,
  ...promptFlags.filter(({ name }) => ofModels.includes(name)),
];

interface WorkOptions {
  slots: number;
  untilEmpty: boolean;
  /** The tasks to wait for; all of the queue where it is left out. */
  own?: Submitted;
  signal: AbortSignal;
  say(sentence: string): void;
}

/** Runs tasks in this process with the settings and rights of its user. */
export async function workHere(
  engine: Engine,
  args: Arguments,
  { slots, untilEmpty, own, signal, say }: WorkOptions,
): Promise<WorkerEnd> {
  const stateFolder = stateFolderPath(process.env);
  const [clock, ids] = [createClock(), createIds()];
  const clones = openClones(join(stateFolder, 'fleet', 'clones'));
  void clones.sweep().catch(() => undefined);
  const needs = {
    open: (options: OpenTaskOptions) => openTaskAgent(options, args),
    clones,
    folderFor: folderCheck(args),
    safe: (await ownRedactor(args)).text,
    state: openState({ path: stateFolder, host: { clock, ids } }),
  };
  return runWorker({
    engine,
    name: `${hostname()}:${process.pid}`,
    slots,
    room: openRoom({
      cores: availableParallelism(),
      freeBytes: freeMemory,
      ownBytes: ownMemory,
      busyShare: watchCores(),
    }),
    leaseMs: leaseOf(args),
    clock,
    random: ids.random,
    runTask: (task, doing) => runTask(task, doing, needs),
    untilEmpty,
    own,
    say,
    signal,
  });
}

/** The slots that were asked for, or what this machine can run. */
export async function slotsOf({ values }: Arguments, name: string): Promise<number> {
  const given = values.get(name);
  if (given === undefined) {
    const machine = { cores: availableParallelism(), freeBytes: await freeMemory() };
    return sideBySide(Number.MAX_SAFE_INTEGER, machine).atOnce;
  }
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw new UsageError(`--${name} ${given}: must be a whole number from 1 to 256.`);
}

/** The folders that tasks may work in or below. */
export function rootsOf({ lists, values }: Arguments): string[] {
  const given = lists.get('root') ?? [values.get('workspace') ?? '.'];
  return given.map((path) => realOf(resolve(path)));
}

export function folderCheck(args: Arguments): (path: string) => string {
  const roots = rootsOf(args);
  return (path) => {
    const real = realOf(path);
    if (roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)))
      return real;
    throw new SettingsError(
      `${path} is not in a folder that this worker works in (${roots.join(', ')}). Start it with --root.`,
    );
  };
}

function realOf(path: string): string {
  try {
    return createWorkspace({ directory: path }).directory;
  } catch {
    throw new SettingsError(`The folder ${path} is not on this machine.`);
  }
}

async function openTaskAgent(options: OpenTaskOptions, args: Arguments): Promise<OpenedTask> {
  const { task, isClone, session, questions, used } = options;
  const own = argumentsFor(options, args);
  const setup = await readSetup(own);
  // A clone is whatever its owner has put there last.
  const trusted = isClone ? { ...setup, trusted: false } : setup;
  const left = budgetLeft(task.budget, used);
  const maxTurns = least(left.turns, setup.loaded.settings.model.maxTurns);
  const agent = await openAgent(
    own,
    {
      front: 'fleet',
      mayAsk: false,
      sessionId: session.isResumed ? undefined : session.id,
      confirm: confirmParked(questions),
      onEvent: options.onEvent,
      conversation: {
        maxTurns,
        maxTokens: left.tokens,
        maxCost: left.cost,
        maxMs: left.ms,
        beforeRequest: options.beforeRequest,
        checkpoint: options.checkpoint,
      },
    },
    trusted,
  );
  await requireSameModel(agent, trusted);
  const missing = left.cost === undefined ? null : missingPrices(agent);
  if (missing !== null) {
    await agent.close();
    throw new SettingsError(`It has a spending limit, and ${missing}, or limit its tokens.`);
  }
  const output = { notice: (message: string) => options.onEvent({ type: 'notice', message }) };
  return {
    agent,
    async work(signal) {
      if (session.isResumed) return agent.prompt(GO_ON, signal);
      await requirePiece(task, agent);
      return agent.prompt(await withFiles(task.prompt, { agent, output, signal }), signal);
    },
  };
}

/** The model would take the name of a command that is not here for a prompt. */
async function requirePiece({ piece }: Task, { pieces }: Agent): Promise<void> {
  if (!piece) return;
  const { kind, name } = piece;
  const { places } = await pieces.findCommands([]);
  const isThere =
    (kind === 'command' && (places.has(name) || places.has(name.toLowerCase()))) ||
    (await pieces.skills?.read(name));
  if (!isThere)
    throw new SettingsError(`There is no ${kind} ${name} for this folder on the machine of the worker.`);
}

const GO_ON = 'The work was interrupted and continues here. Look at what is done, then finish the task.';

function least(...numbers: (number | undefined)[]): number | undefined {
  const given = numbers.filter((number) => number !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

function argumentsFor({ task, folder, isClone, session }: OpenTaskOptions, args: Arguments): Arguments {
  const values = new Map([...args.values].filter(([name]) => !['name', 'check', 'prompt'].includes(name)));
  values.set('workspace', folder);
  if (task.model !== undefined) values.set('model', task.model);
  if (session.isResumed) values.set('resume', session.id);
  const switches = new Set([...args.switches].filter((name) => !(isClone && name === 'trust')));
  return { words: [], lists: args.lists, values, switches };
}

export function tellEnd(end: WorkerEnd): void {
  if (end.kind === 'stopped') warn(end.reason);
}
