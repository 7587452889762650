import type { Block, State } from '../app/state.js';
import { hasAir, renderFinished } from './render/blocks.js';
import type { Screen } from './render/frame.js';
import { type Appearance, type StyledLine, textOfLine, widthOf } from './render/line.js';
import { advance, emptyStream, type MarkdownStream, unfinished } from './render/markdown-stream.js';
import type { Colors } from './render/wanted-colors.js';

/** Keeps what was printed for good: each block once, each part of an answer as soon as it can't change. */
export interface Scrollback {
  /** Lines that are new since the last time. What lacks the colours of its language waits for them, but not at the end. */
  take(state: State, screen: Screen, how?: { isEnd: boolean }): StyledLine[];
  /** The part of the answer that may still change. */
  open(screen: Screen): StyledLine[];
  /** True if an empty line would stand between what was printed last and such a block. */
  hasAirBefore(kind: Kind): boolean;
  /** The block of a row: 1 is the last printed one. Terminals break lines anew that are wider than this. */
  rows(screen: { columns: number }): (above: number) => number | null;
  /** Forgets the rows, when nobody knows any more what the screen shows. */
  forgetRows(): void;
}

/** A number above the rows of any screen. */
const MOST_ROWS = 300;

/** Remembers the block of each of the last printed lines. */
function createPrintedRows(): Pick<Scrollback, 'rows' | 'forgetRows'> & {
  add(id: number, lines: readonly StyledLine[]): void;
} {
  let printed: { id: number; line: StyledLine }[] = [];
  return {
    add(id, lines) {
      const added = lines.slice(-MOST_ROWS).map((line) => ({ id, line }));
      printed = [...printed, ...added].slice(-MOST_ROWS);
    },
    rows({ columns }) {
      const owners = printed.flatMap(({ id, line }) => {
        const width = widthOf(textOfLine(line));
        return Array.from({ length: Math.max(1, Math.ceil(width / columns)) }, () => id);
      });
      return (above) => (above > 0 ? (owners.at(-above) ?? null) : null);
    },
    forgetRows() {
      printed = [];
    },
  };
}

type Kind = Block['kind'];

interface ScrollbackNeeds {
  appearance: Appearance;
  colors: Colors;
  showsPrompts?: boolean;
}

export function createScrollback({ appearance, colors, showsPrompts = true }: ScrollbackNeeds): Scrollback {
  const answers = createAnswerPrinter(appearance);
  const { add, rows, forgetRows } = createPrintedRows();
  const { aired, hasAirBefore } = createAir();
  let lastId = 0;

  /** Null for what lacks its colours: it waits for them, with all behind it. */
  function linesOf(block: Block, width: number, draw: Colors['lasting']): StyledLine[] | null {
    if (block.kind === 'prompt' && !showsPrompts) return [];
    if (block.kind === 'answer') return answerLines(block, { width, isFinal: true, draw });
    const lines = draw(() => renderFinished(block, width, appearance));
    return lines && aired(block.kind, lines);
  }

  function answerLines(answer: { id: number; text: string }, how: AnswerHow): StyledLine[] | null {
    const part = answers.take(answer, how);
    return part && aired('answer', part.lines, part.isFirst);
  }

  return {
    take({ blocks, question, answer }, screen, { isEnd } = { isEnd: false }) {
      const width = screen.columns - 1;
      const draw: Colors['lasting'] = isEnd ? (drawn) => drawn() : colors.lasting;
      // An open question holds back what came after it.
      const before = question?.id ?? Number.POSITIVE_INFINITY;
      const added: StyledLine[] = [];
      const print = (id: number, lines: readonly StyledLine[]): void => {
        add(id, lines);
        for (const line of lines) added.push(line);
      };
      for (const block of blocks) {
        if (block.id <= lastId || block.id >= before) continue;
        const lines = linesOf(block, width, draw);
        if (!lines) return added;
        print(block.id, lines);
        lastId = block.id;
      }
      if (answer && answer.id < before)
        print(answer.id, answerLines(answer, { width, isFinal: false, draw }) ?? []);
      return added;
    },
    open(screen) {
      const { lines, isFirst } = answers.open(screen.columns - 1);
      return isFirst && lines.length > 0 && hasAirBefore('answer') ? [[], ...lines] : lines;
    },
    hasAirBefore,
    rows,
    forgetRows,
  };
}

/** An empty line between blocks of different kinds. */
function createAir(): {
  aired(kind: Kind, lines: StyledLine[], isFirst?: boolean): StyledLine[];
  hasAirBefore(kind: Kind): boolean;
} {
  let before: Kind | null = null;
  return {
    aired(kind, lines, isFirst = true) {
      if (lines.length === 0 || !isFirst) return lines;
      const air: StyledLine[] = hasAir(before, kind) ? [[]] : [];
      before = kind;
      return [...air, ...lines];
    },
    hasAirBefore: (kind) => hasAir(before, kind),
  };
}

interface AnswerPart {
  lines: StyledLine[];
  /** True if nothing of this answer was printed before. */
  isFirst: boolean;
}

interface AnswerHow {
  width: number;
  isFinal: boolean;
  draw: Colors['lasting'];
}

interface AnswerPrinter {
  /** Null while colours of what would be printed are missing. */
  take(answer: { id: number; text: string }, how: AnswerHow): AnswerPart | null;
  open(width: number): AnswerPart;
}

/** Prints one answer after the other, each as it comes in. */
function createAnswerPrinter(appearance: Appearance): AnswerPrinter {
  let stream: MarkdownStream = emptyStream;
  let current = { id: 0, taken: 0, isFirst: true };
  return {
    take({ id, text }, { draw, ...how }) {
      if (current.id !== id) {
        current = { id, taken: 0, isFirst: true };
        stream = emptyStream;
      }
      const step = draw(() => advance(stream, text.slice(current.taken), { ...how, appearance }));
      if (!step) return null;
      const { stream: next, printed } = step;
      const { isFirst } = current;
      stream = how.isFinal ? emptyStream : next;
      current = { id, taken: text.length, isFirst: isFirst && printed.length === 0 };
      return { lines: printed, isFirst };
    },
    open: (width) => ({ lines: unfinished(stream, { width, appearance }), isFirst: current.isFirst }),
  };
}
