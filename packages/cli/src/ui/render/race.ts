import {
  formatNumber,
  plural,
  type RaceEvent,
  type RaceState,
  type RunnerState,
} from '@toolwright/core/front-end';
import { type Appearance, clipped, line, type Style, type StyledLine } from './line.js';
import { type Cell, layOutTable } from './table.js';

export interface RaceLook {
  nowMs: number;
  isChecked: boolean;
  width: number;
  appearance: Appearance;
}

/** Narrower than this a row is a sentence. */
const NARROWEST_TABLE = 60;

/** The table of a race: a row for each session, and below it why sessions failed. */
export function renderRace(state: RaceState, look: RaceLook): StyledLine[] {
  const { width, appearance } = look;
  const rows =
    appearance.linear || width < NARROWEST_TABLE
      ? state.runners.map((runner) => line(sentenceOf(runner, look)))
      : renderTable(state, look);
  const reasons = state.runners.flatMap(reasonLines);
  return [...rows, ...reasons].map((spans) => clipped(spans, width, appearance));
}

function renderTable({ runners }: RaceState, look: RaceLook): StyledLine[] {
  const showsModel = new Set(runners.map(({ model }) => model)).size > 1;
  const header = [
    cell('#', 'right'),
    ...(showsModel ? [cell('model')] : []),
    cell('state'),
    ...['turns', 'files', 'tokens', 'time', 'refused'].map((title) => cell(title, 'right')),
    ...(look.isChecked ? [cell('check')] : []),
  ];
  const rows = runners.map((runner) => [
    cell(String(runner.number), 'right'),
    ...(showsModel ? [cell(runner.model)] : []),
    cell(stateWord(runner), null, stateStyle(runner)),
    cell(String(runner.turns), 'right'),
    cell(String(runner.files.length), 'right'),
    cell(formatNumber(runner.tokens), 'right'),
    cell(clockTime(elapsedMs(runner, look.nowMs)), 'right'),
    cell(String(runner.refused), 'right'),
    ...(look.isChecked ? [cell(checkWord(runner), null, checkStyle(runner))] : []),
  ]);
  return allLines(layOutTable(header, rows, look));
}

function allLines({ head, rows }: ReturnType<typeof layOutTable>): StyledLine[] {
  return [...head, ...rows.flat()];
}

function cell(text: string, align: Cell['align'] = null, style?: Style): Cell {
  return { spans: [...line(text, style)], align };
}

function stateWord({ phase, end }: RunnerState): string {
  if (!end) return phase;
  return end.reason === 'cancelled' ? 'stopped' : end.reason.replace('-', ' ');
}

function stateStyle({ end }: RunnerState): Style | undefined {
  if (end?.reason === 'done') return { color: 'green' };
  return end ? { color: 'red' } : undefined;
}

function checkWord({ check }: RunnerState): string {
  return check ? (check.passed ? 'passed' : 'failed') : '';
}

function checkStyle({ check }: RunnerState): Style {
  return { color: check?.passed ? 'green' : 'red' };
}

/** Gives a line for a session that failed, and one for a check that did. */
function reasonLines({ number, end, check }: RunnerState): StyledLine[] {
  return [
    ...(end?.error ? [line(`${number} failed: ${firstLine(end.error.message)}`)] : []),
    ...(check && !check.passed ? [line(`${number} failed its check: ${firstLine(check.ended)}`)] : []),
  ];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string;
}

function elapsedMs({ startedAtMs, endedAtMs }: RunnerState, nowMs: number): number {
  return startedAtMs === null ? 0 : (endedAtMs ?? nowMs) - startedAtMs;
}

function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function sentenceOf(runner: RunnerState, { nowMs }: Pick<RaceLook, 'nowMs'>): string {
  const { number, turns, files, tokens, refused, check } = runner;
  return [
    `${number}: ${stateWord(runner)}`,
    plural(turns, 'turn'),
    plural(files.length, 'file'),
    plural(tokens, 'token'),
    clockTime(elapsedMs(runner, nowMs)),
    ...(refused > 0 ? [`${plural(refused, 'call')} refused`] : []),
    ...(check ? [`check ${checkWord(runner)}`] : []),
  ].join(', ');
}

/** An event as lines, for whoever reads line after line; most events are none. */
export function raceNews(event: RaceEvent, { runners }: RaceState): string[] {
  const runner = runners.find(({ number }) => number === event.number);
  if (!runner) return [];
  switch (event.type) {
    case 'session-begun':
      return [`${event.number}: working with ${event.model}`];
    case 'check-started':
      return [`${event.number}: checking`];
    case 'agent': {
      const { event: inner } = event;
      return inner.type === 'notice' ? [`${event.number}: ${inner.message}`] : [];
    }
    case 'runner-ended':
      return [
        sentenceOf(runner, { nowMs: event.atMs }),
        ...reasonLines(runner).map((spans) => spans.map(({ text }) => text).join('')),
      ];
    default:
      return [];
  }
}

const MOST_FILES = 40;

/** The work of all sessions side by side: a row for each file, a column for each session. */
export function renderWork(
  { runners }: RaceState,
  { width, appearance }: Pick<RaceLook, 'width' | 'appearance'>,
): StyledLine[] {
  const works = runners.flatMap(({ number, end }) => (end?.work ? [{ number, work: end.work }] : []));
  if (works.length === 0) return [];
  const paths = [...new Set(works.flatMap(({ work }) => work.files.map(({ path }) => path)))].sort();
  const rows = paths.slice(0, MOST_FILES).map((path) => [
    cell(path),
    ...works.map(({ work }) => {
      const file = work.files.find((each) => each.path === path);
      return cell(file ? changeWords(file) : '');
    }),
  ]);
  const header = [cell('file'), ...works.map(({ number }) => cell(`session ${number}`))];
  const sums = [cell('all'), ...works.map(({ work }) => cell(`+${work.added} -${work.removed}`))];
  const table = allLines(layOutTable(header, [...rows, sums], { width, appearance }));
  const hidden = paths.length - MOST_FILES;
  return hidden > 0 ? [...table, line(`${hidden} more files are not listed.`)] : table;
}

function changeWords({ change, added, removed }: { change: string; added: number; removed: number }): string {
  const lines = added + removed > 0 ? ` +${added} -${removed}` : '';
  return change === 'modify' && lines !== '' ? lines.trim() : `${change.replace('-', ' ')}${lines}`;
}
