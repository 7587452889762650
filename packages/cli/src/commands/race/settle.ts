import {
  type Choice,
  type KeptWork,
  keptWords,
  NOTHING_KEPT,
  type Race,
  type RunnerState,
} from '@toolwright/core/front-end';
import { warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import type { FrontOptions } from '../../ui/open-front.js';

/** The outcome for the sessions of a race. */
export interface SettledRace {
  kept: { number: number; work: KeptWork } | null;
  /** Sessions that were dropped. */
  dropped: number[];
  /** --keep best was asked for, and kept nothing. */
  failed: boolean;
  /** Changes that --keep best did not dare to keep. */
  refused: { path: string; why: string }[];
}

export interface SettleOptions {
  args: Arguments;
  /** The short form of a path. */
  show(path: string): string;
  ui: Pick<FrontOptions, 'color' | 'screenReader'>;
  signal: AbortSignal;
}

const nothingKept: SettledRace = { kept: null, dropped: [], failed: false, refused: [] };

/** Keeps one session or none. What is not dropped waits, and it is said how to go on. */
export async function settle(race: Race, options: SettleOptions): Promise<SettledRace> {
  const settled = await decide(race, options);
  tellWaiting(race, settled, options);
  return settled;
}

async function decide(race: Race, options: SettleOptions): Promise<SettledRace> {
  const { args, signal } = options;
  const isForScripts = args.values.has('keep');
  if (signal.aborted) return nothingKept;
  if (withWork(race).length === 0) {
    warn('No session changed any files, so there is nothing to keep.');
    return { ...nothingKept, failed: isForScripts };
  }
  if (isForScripts) return keepBest(race, options);
  if (!isStdinTerminal() || !process.stderr.isTTY) {
    warn('Nothing was kept: there is no terminal to ask at. --keep best keeps the best.');
    return nothingKept;
  }
  return askAndKeep(race, options);
}

function withWork({ state }: Race): RunnerState[] {
  return state.runners.filter(({ end }) => end?.work);
}

/** Keeps the best work unseen, so none of its changes may do harm later. */
async function keepBest(race: Race, options: SettleOptions): Promise<SettledRace> {
  const best = race.best();
  if (!best) {
    const why = options.args.values.has('check')
      ? 'no session changed files and passed the check'
      : 'no session that changed files came to its end';
    warn(`Nothing was kept: ${why}.`);
    return { ...nothingKept, failed: true };
  }
  const refused = race.refusedUnseen(best.number);
  if (refused.length === 0) return keep(race, best.number, { ...options, choice: 'all' });
  for (const { path, why } of refused.slice(0, 20)) warn(`${options.show(path)}: ${why}`);
  warn(`Nothing was kept: session ${best.number} is the best, and some of its changes need review.`);
  return { ...nothingKept, failed: true, refused };
}

async function askAndKeep(race: Race, options: SettleOptions): Promise<SettledRace> {
  const { args, show, ui, signal } = options;
  const { withTerminal } = await import('../../ask/ask-on-terminal.js');
  const { askRace } = await import('../../ask/race.js');
  const asking = {
    best: race.best()?.number ?? null,
    others: args.switches.has('leave-others') ? ('left' as const) : ('dropped' as const),
    show,
  };
  const decision = await withTerminal(({ ask }) => askRace(race, { ...asking, ask, signal }), ui);
  if (decision.kind === 'keep') return keep(race, decision.number, { ...options, choice: decision.choice });
  if (decision.kind === 'wait') return nothingKept;
  const dropped = withWork(race).map(({ number }) => number);
  for (const number of dropped) await race.drop(number);
  warn('All sessions were dropped.');
  return { ...nothingKept, dropped };
}

async function keep(
  race: Race,
  number: number,
  { args, show, signal, choice }: SettleOptions & { choice: Choice | 'all' },
): Promise<SettledRace> {
  const isUnseen = args.values.has('keep');
  const work = await race.keep(number, { choice, allOrNothing: isUnseen }, signal);
  const { conflicts, changeSet } = work;
  const { merged, leftOut, summary } = keptWords(work, show);
  for (const sentence of [...merged, ...leftOut]) warn(sentence);
  if (!changeSet) {
    warn(NOTHING_KEPT);
    return { ...nothingKept, failed: isUnseen, refused: conflicts };
  }
  warn(`Kept session ${number}: ${summary}. To undo it: toolwright undo ${changeSet.id}`);
  const others = args.switches.has('leave-others')
    ? []
    : withWork(race)
        .map((each) => each.number)
        .filter((each) => each !== number);
  // The chosen session stays when conflicts left some of its changes out: they wait for the user.
  const dropped = conflicts.length > 0 ? others : [...others, number];
  for (const each of dropped) await race.drop(each);
  if (others.length > 0)
    warn(`Dropped: ${others.length === 1 ? 'session' : 'the sessions'} ${others.join(', ')}.`);
  return { kept: { number, work }, dropped, failed: false, refused: conflicts };
}

function tellWaiting(race: Race, { dropped }: SettledRace, { args }: SettleOptions): void {
  const waiting = withWork(race).filter(({ number }) => !dropped.includes(number));
  if (waiting.length === 0 || args.switches.has('json')) return;
  warn('These sessions are waiting. toolwright apart keep ID keeps one, toolwright apart drop ID drops it:');
  for (const { number, id, end } of waiting)
    process.stderr.write(`  ${number}  ${id}  ${end?.work?.summary}\n`);
}
