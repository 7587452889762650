import type { Race, RaceState, RunnerState } from '@toolwright/core/front-end';
import { printJson } from '../../base/print.js';
import { screenColumns } from '../../command-line/help.js';
import { appearanceOf } from '../../ui/open-front.js';
import { paint } from '../../ui/render/line.js';
import { renderRace, renderWork } from '../../ui/render/race.js';
import type { SettledRace } from './settle.js';

/** Into a pipe or a file. */
const PLAIN_COLUMNS = 120;

/** Prints the sessions side by side, then their work. */
export function printResults(state: RaceState, { isChecked }: { isChecked: boolean }): void {
  const color = process.stdout.isTTY ? 'auto' : 'never';
  const appearance = appearanceOf(process.env, { color, linear: false });
  const width = Math.min(screenColumns(), PLAIN_COLUMNS) - 1;
  const work = renderWork(state, { width, appearance });
  const lines = [
    ...renderRace(state, { nowMs: Date.now(), isChecked, width, appearance }),
    ...(work.length > 0 ? [[], ...work] : []),
  ];
  for (const spans of lines) process.stdout.write(`${paint(spans, appearance).trimEnd()}\n`);
}

interface RaceAsked extends SettledRace {
  prompt: string;
  check?: { command: string; limitMs: number };
}

/** The results for a script; documented in docs/race.md. */
export function printRaceJson(race: Race, { prompt, check, kept, dropped, refused }: RaceAsked): void {
  const isGone = (number: number): boolean => dropped.includes(number);
  printJson(
    {
      v: 1,
      prompt,
      check: check?.command ?? null,
      sessions: race.state.runners.map((runner) => ({
        ...sessionJson(runner),
        waits: runner.end?.work ? !isGone(runner.number) : false,
      })),
      best: race.best()?.number ?? null,
      kept: kept && {
        number: kept.number,
        changeSet: kept.work.changeSet?.id ?? null,
        merged: kept.work.merged,
      },
      refused,
    },
    2,
  );
}

function sessionJson({
  number,
  model,
  id,
  turns,
  tokens,
  refused,
  startedAtMs,
  endedAtMs,
  check,
  end,
}: RunnerState) {
  return {
    number,
    id,
    model,
    reason: end?.reason ?? null,
    error: end?.error ?? null,
    response: end?.response ?? '',
    turns,
    tokens,
    refusedCalls: refused,
    durationMs: (endedAtMs ?? 0) - (startedAtMs ?? 0),
    check,
    work: end?.work ?? null,
  };
}
