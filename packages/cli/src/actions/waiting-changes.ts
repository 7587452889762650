import {
  type Choice,
  type KeptTry,
  keptWords,
  NOTHING_KEPT,
  type Review,
  terminalSafe,
  terminalSafeLine,
} from '@toolwright/core/front-end';
import type { Tone } from '../app/state.js';
import { warn } from '../base/print.js';
import type { Prefix } from './report.js';

/** Changes that wait for an answer: of a command that was tried, or of a session apart. */
export interface WaitingChanges {
  /** Changes that are not kept unless somebody has looked at them, and why. */
  refusedUnseen(): Promise<LeftOut[]>;
  keep(choice: Choice | 'all', signal: AbortSignal): Promise<KeptTry>;
}

/** A change that was not kept, and why. */
export interface LeftOut {
  path: string;
  why: string;
}

export interface SettledChanges {
  kept: KeptTry | null;
  /** Changes that nobody looked at and that were not kept for that. */
  refused: LeftOut[];
}

export const nothingKept: SettledChanges = { kept: null, refused: [] };

interface KeepOptions {
  choice: Choice | 'all';
  /** The short form of a path. */
  show(path: string): string;
  signal: AbortSignal;
}

/** Describes the outcome for chosen changes, a line each. */
export function describeKept(
  kept: KeptTry,
  { show, prefix }: { show(path: string): string; prefix: Prefix },
): { text: string; tone: Tone }[] {
  const { merged, leftOut, summary } = keptWords(kept, show);
  const { changeSet } = kept;
  return [
    ...merged.map((text) => ({ text, tone: 'plain' as const })),
    ...leftOut.map((text) => ({ text, tone: 'warning' as const })),
    changeSet
      ? { text: `Kept: ${summary}. To undo it: ${prefix}undo ${changeSet.id}`, tone: 'good' }
      : { text: NOTHING_KEPT, tone: 'warning' },
  ];
}

/** Keeps chosen changes and tells what became of them. */
export async function keepChosen(
  waiting: WaitingChanges,
  { choice, show, signal }: KeepOptions,
): Promise<SettledChanges> {
  const kept = await waiting.keep(choice, signal);
  for (const { text } of describeKept(kept, { show, prefix: 'toolwright ' })) warn(text);
  return { kept, refused: [] };
}

const MOST_NAMED = 20;

/** Keeps changes that nobody has looked at, so none may do harm later. `remedy` says how to look. */
export async function keepUnseen(
  waiting: WaitingChanges,
  { remedy, ...options }: KeepOptions & { remedy: string },
): Promise<SettledChanges> {
  const refused = await waiting.refusedUnseen();
  if (refused.length === 0) {
    const { kept } = await keepChosen(waiting, options);
    return { kept, refused: kept?.conflicts ?? [] };
  }
  for (const { path, why } of refused.slice(0, MOST_NAMED)) warn(`${options.show(path)}: ${why}`);
  warn(`Nothing was kept, because these changes need review. ${remedy}`);
  return { kept: null, refused };
}

/** The changed files, those that need a look first, then what changed in them. */
export function describeItems({ items }: Review, show: (path: string) => string): string {
  const lines = items.map(({ path, change, added, removed, warnings }) => {
    const counts = added + removed > 0 ? ` (+${added} -${removed})` : '';
    return terminalSafeLine(`${change} ${show(path)}${counts}${warnings.map((why) => `, ${why}`).join('')}`);
  });
  const texts = items.flatMap(({ unified }) => (unified === '' ? [] : [terminalSafe(unified.trimEnd())]));
  return [...lines, ...texts].join('\n');
}
