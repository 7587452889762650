import type { OpenQuestion } from '../../app/asking/open-question.js';
import type { State } from '../../app/state.js';
import { renderOpenQuestion } from './asking/question.js';
import { renderRunning } from './blocks.js';
import type { Frame, Screen } from './frame.js';
import { type Appearance, line, type StyledLine, textOfLine, wrap } from './line.js';
import { layoutInput } from './typing/input.js';
import { renderMenu } from './typing/menu.js';
import { renderPicker } from './typing/picker.js';
import { renderLooks } from './working/looks.js';
import { renderPassing, renderQueue, renderStatus } from './working/status.js';

const MAX_INPUT_ROWS = 10;

export interface LivePlace {
  screen: Screen;
  appearance: Appearance;
  /** An empty line stands between what was printed last and a call. */
  airAbove?: boolean;
}

/** The part of the screen that can still change: the end of the answer, running calls, choices, the typed line. */
export function renderLive(
  state: State,
  answer: readonly StyledLine[],
  { screen, appearance, airAbove = false }: LivePlace,
): Frame {
  const width = screen.columns - 1;
  const room = Math.max(2, screen.rows - 1);
  if (state.question) return renderAsked(state, state.question, { screen, appearance });
  const below = lowerPart(state, { width, appearance, room });
  const looks = state.looks.length > 0 ? renderLooks(state.looks, width, appearance) : [];
  const running = state.calls.flatMap((call) =>
    renderRunning(call, { width, appearance, seconds: state.seconds, isOpen: state.callsOpen }),
  );
  const calls = [...looks, ...running];
  const gap: StyledLine[] = calls.length > 0 && (answer.length > 0 || airAbove) ? [[]] : [];
  const all = [...answer, ...gap, ...calls];
  // The status stands apart from what was said.
  const air: StyledLine[] = below.hasStatus && all.length + below.lines.length < room ? [[]] : [];
  const upper = lastOf([...all, ...air], room - below.lines.length);
  return {
    lines: [...upper, ...below.lines],
    cursor: below.cursor && { ...below.cursor, row: below.cursor.row + upper.length },
  };
}

function renderAsked(
  { hint }: State,
  question: OpenQuestion,
  place: { screen: Screen; appearance: Appearance },
): Frame {
  const { columns, rows } = place.screen;
  const said = hintLines(hint, columns - 1);
  // The question leaves one line free for a hint.
  const spare = rows - Math.max(0, said.length - 1);
  const { lines, cursor } = renderOpenQuestion(question, { ...place, screen: { columns, rows: spare } });
  return fitting({ lines: [...lines, ...said], cursor }, Math.max(2, rows - 1));
}

function hintLines(hint: string, width: number): StyledLine[] {
  return hint === '' ? [] : wrap(line(hint, { dim: true }), width);
}

/** On the smallest screens the title and the end remain: what scrolled away could not be drawn over. */
function fitting({ lines, cursor }: Frame, room: number): Frame {
  const over = lines.length - room;
  if (over <= 0) return { lines, cursor };
  const title = lines.find((spans) => textOfLine(spans) !== '') ?? [];
  return {
    lines: [title, ...lines.slice(over + 1)],
    cursor: cursor && { ...cursor, row: Math.max(1, cursor.row - over) },
  };
}

function lastOf(lines: readonly StyledLine[], count: number): readonly StyledLine[] {
  return count <= 0 ? [] : lines.slice(-count);
}

function lowerPart(
  state: State,
  { width, appearance, room }: { width: number; appearance: Appearance; room: number },
): Frame & { hasStatus?: boolean } {
  const hint = hintLines(state.hint, width);
  const { picker } = state.typing;
  if (picker) return withHint(renderPicker(picker, { width, room: room - hint.length, appearance }), hint);
  if (state.phase === 'starting' && state.input.text === '') return { lines: hint, cursor: null };
  const head = renderStatus(state, width, appearance);
  const above = [
    ...renderQueue(state, width, appearance),
    ...renderPassing(state, width),
    ...(head ? [head] : []),
  ];
  const maxRows = Math.max(1, Math.min(MAX_INPUT_ROWS, room - above.length - hint.length));
  const input = layoutInput(state.input, { width, mark: promptMark(state), maxRows });
  const menu = menuOf(state, {
    width,
    room: room - above.length - input.lines.length - hint.length,
    appearance,
  });
  return {
    lines: [...above, ...input.lines, ...menu, ...hint],
    cursor: { ...input.cursor, row: input.cursor.row + above.length },
    hasStatus: above.length > 0,
  };
}

function withHint({ lines, cursor }: Frame, hint: readonly StyledLine[]): Frame {
  return { lines: [...lines, ...hint], cursor };
}

/** Gives the mark of the prompt, which is another one in the normal mode of vim, and where a message has to wait. */
function promptMark({ typing, phase }: State): string {
  if (typing.vim?.mode === 'normal') return ': ';
  return phase === 'idle' ? '> ' : '+ ';
}

/** Suggestions for the line as it is now. */
function menuOf({ typing, input }: State, place: Parameters<typeof renderMenu>[1]): StyledLine[] {
  return typing.menu && typing.menu.input === input ? renderMenu(typing.menu, place) : [];
}
