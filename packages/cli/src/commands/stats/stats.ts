import { openState } from '@toolwright/core';
import {
  collectStats,
  createClock,
  createIds,
  createWorkspace,
  openModelTable,
  type Stats,
  stateFolderPath,
} from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { screenColumns } from '../../command-line/help.js';
import { appearanceOf } from '../../ui/open-front.js';
import { paint } from '../../ui/render/line.js';
import { defineCommand } from '../command.js';
import { renderStats } from './render-stats.js';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 3_650;
const DAY_MS = 86_400_000;

/** Prints what sessions cost and did, from the journals on this machine. */
export const run = defineCommand({
  usage: `  toolwright stats              the last ${DEFAULT_DAYS} days, of all folders
  toolwright stats --days 7     fewer days, or more
  toolwright stats --here       only sessions of this folder
  toolwright stats --json

It counts from the journals on this machine; nothing is sent anywhere. Days are in UTC.`,
  flags: [
    { name: 'days', value: 'N', help: `Days to count, up to today (default: ${DEFAULT_DAYS}).` },
    { name: 'here', help: 'Only sessions of this folder.' },
    { name: 'json', help: 'Print JSON.' },
  ],
  run: stats,
});

async function stats({ words, values, switches }: Arguments): Promise<number> {
  refuseFurther(words, 'stats');
  const state = openState({
    path: stateFolderPath(process.env),
    host: { clock: createClock(), ids: createIds() },
  });
  const now = Date.now();
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const collected = await collectStats(state, {
    from: dayOf(now - (daysOf(values.get('days')) - 1) * DAY_MS),
    to: dayOf(now),
    workspace:
      switches.has('here') || values.has('workspace')
        ? createWorkspace({ directory: values.get('workspace') ?? '.' }).directory
        : undefined,
    table: await openModelTable(state),
    signal: abortOnInterrupt(),
  });
  if (switches.has('json')) printJson({ v: 1, ...collected }, 2);
  else printStats(collected);
  return exitCodes.done;
}

function printStats(stats: Stats): void {
  const color = process.stdout.isTTY ? 'auto' : 'never';
  const appearance = appearanceOf(process.env, { color, linear: false });
  const lines = renderStats(stats, { width: screenColumns() - 1, appearance });
  process.stdout.write(lines.map((each) => `${paint(each, appearance)}\n`).join(''));
}

function daysOf(given: string | undefined): number {
  const days = given === undefined ? DEFAULT_DAYS : Number(given);
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days;
  throw new UsageError(`--days ${given}: must be a whole number from 1 to ${MOST_DAYS}.`);
}
