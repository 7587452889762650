import { terminalSafe } from '@toolwright/core';
import { graphemes, type InputLine } from '../../app/input-line.js';
import type { State } from '../../app/state.js';
import { renderRunning } from './blocks.js';
import { type Appearance, clipped, line, type StyledLine, widthOf } from './line.js';
import { renderChoices } from './question.js';

export interface Screen {
  columns: number;
  rows: number;
}

/** The part of the screen that is drawn again and again: never taller than the screen. */
export interface Frame {
  lines: readonly StyledLine[];
  /** Null hides it. */
  cursor: { row: number; column: number } | null;
}

const MAX_INPUT_ROWS = 10;

/** The part of the screen that can still change: the end of the answer, running calls, choices, the typed line. */
export function renderLive(
  state: State,
  answer: readonly StyledLine[],
  { screen, appearance }: { screen: Screen; appearance: Appearance },
): Frame {
  const width = screen.columns - 1;
  const room = Math.max(2, screen.rows - 1);
  const below = lowerPart(state, { width, appearance, room });
  const calls = state.question ? [] : state.calls.flatMap((call) => renderRunning(call, width, appearance));
  const gap: StyledLine[] = answer.length > 0 && calls.length > 0 ? [[]] : [];
  const upper = lastOf([...answer, ...gap, ...calls], room - below.lines.length);
  return {
    lines: [...upper, ...below.lines],
    cursor: below.cursor && { ...below.cursor, row: below.cursor.row + upper.length },
  };
}

function lastOf(lines: readonly StyledLine[], count: number): readonly StyledLine[] {
  return count <= 0 ? [] : lines.slice(-count);
}

function lowerPart(
  state: State,
  { width, appearance, room }: { width: number; appearance: Appearance; room: number },
): Frame {
  const hint = state.hint === '' ? [] : [clipped(line(state.hint, { dim: true }), width, appearance)];
  const { question } = state;
  if (question) {
    if (!question.isOpen) return { lines: [], cursor: null };
    const all = renderChoices(question, width);
    const kept = lastOf(all, room - 3 - hint.length);
    const choices =
      kept.length < all.length ? [line('  (more above: make the window taller)'), ...kept] : all;
    const reply = layoutInput(question.reply, { width, mark: '? ', maxRows: 2 });
    return {
      lines: [...choices, ...reply.lines, ...hint],
      cursor: { ...reply.cursor, row: reply.cursor.row + choices.length },
    };
  }
  if (state.phase === 'starting' && state.input.text === '') return { lines: hint, cursor: null };
  const isBusy = state.phase === 'working' || state.phase === 'cancelling';
  const status = isBusy ? [clipped(line(statusText(state), { dim: true }), width, appearance)] : [];
  if (isBusy && state.input.text === '') return { lines: [...status, ...hint], cursor: null };
  const maxRows = Math.max(1, Math.min(MAX_INPUT_ROWS, room - status.length - hint.length));
  const input = layoutInput(state.input, { width, mark: '> ', maxRows });
  return {
    lines: [...status, ...input.lines, ...hint],
    cursor: { ...input.cursor, row: input.cursor.row + status.length },
  };
}

function statusText({ phase, passing, isThinking, withModel, isApart, calls, seconds }: State): string {
  if (phase === 'cancelling') return 'Stopping ...';
  if (passing !== '') return passing;
  const what =
    calls.length > 0 || !withModel
      ? 'Working'
      : isThinking
        ? 'The model is thinking'
        : 'Waiting for the model';
  return `${what}${seconds > 0 ? `, ${seconds} s` : ''}${isApart ? ', apart' : ''} (Esc cancels)`;
}

interface LaidOutInput {
  lines: StyledLine[];
  cursor: { row: number; column: number };
}

/** Wraps the typed text and finds the cursor; shows a window around it where there are too many rows. */
export function layoutInput(
  { text, cursor }: InputLine,
  { width, mark, maxRows }: { width: number; mark: string; maxRows: number },
): LaidOutInput {
  const inset = widthOf(mark);
  const room = Math.max(2, width - inset);
  const rows = [''];
  let column = 0;
  let at = 0;
  let found: { row: number; column: number } | null = null;
  const breakRow = (): void => {
    rows.push('');
    column = 0;
  };
  for (const grapheme of graphemes(text)) {
    if (at >= cursor) found ??= place(rows, column, room);
    at += grapheme.length;
    if (grapheme === '\n' || grapheme === '\r\n') {
      breakRow();
      continue;
    }
    for (const shown of graphemes(visible(grapheme))) {
      const width = widthOf(shown);
      if (column + width > room) breakRow();
      rows[rows.length - 1] += shown;
      column += width;
    }
  }
  found ??= place(rows, column, room);
  if (found.row === rows.length) rows.push('');
  const first = Math.max(0, Math.min(found.row - maxRows + 1, rows.length - maxRows));
  const lines = rows.slice(first, first + maxRows).map((row, index): StyledLine => {
    const isFirst = first + index === 0;
    return [
      { text: isFirst ? mark : ' '.repeat(inset), style: { color: 'blue', bold: true } },
      { text: row },
    ];
  });
  return { lines, cursor: { row: found.row - first, column: inset + found.column } };
}

/** Behind the last column there is no place to stand: the cursor waits on the next row. */
function place(rows: readonly string[], column: number, room: number): { row: number; column: number } {
  return column < room ? { row: rows.length - 1, column } : { row: rows.length, column: 0 };
}

function visible(grapheme: string): string {
  return grapheme === '\t' ? '    ' : terminalSafe(grapheme);
}
