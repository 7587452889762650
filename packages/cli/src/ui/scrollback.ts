import type { Block, State } from '../app/state.js';
import { hasAir, renderFinished } from './render/blocks.js';
import type { Screen } from './render/frame.js';
import { type Appearance, type StyledLine, textOfLine, widthOf } from './render/line.js';
import { advance, emptyStream, type MarkdownStream, unfinished } from './render/markdown-stream.js';
import { createColors } from './render/wanted-colors.js';

/** Keeps what was printed for good: each block once, each part of an answer as soon as it can't change. */
export interface Scrollback {
  /** Lines that are new since the last time. What has colours of a language waits for them, but not at the end. */
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

interface ScrollbackOptions {
  showsPrompts?: boolean;
  onColors?(): void;
}

/** `onColors`: the colours that something waits for are there. */
export function createScrollback(
  appearance: Appearance,
  { showsPrompts = true, onColors }: ScrollbackOptions = {},
): Scrollback {
  const colors = createColors(appearance, onColors);
  const answers = createAnswerPrinter(appearance);
  const { add, rows, forgetRows } = createPrintedRows();
  const { aired, hasAirBefore } = createAir();
  let lastId = 0;

  function takeBlock(block: Block, width: number): StyledLine[] {
    const lines = linesOf(block, width);
    add(block.id, lines);
    return lines;
  }

  function linesOf(block: Block, width: number): StyledLine[] {
    if (block.kind === 'prompt' && !showsPrompts) return [];
    if (block.kind !== 'answer') return aired(block.kind, renderFinished(block, width, appearance));
    const { lines, isFirst } = answers.take(block, { width, isFinal: true });
    return aired('answer', lines, isFirst);
  }

  return {
    take({ blocks, question, answer, withModel }, screen, { isEnd } = { isEnd: false }) {
      const width = screen.columns - 1;
      // An open question holds back what came after it.
      const before = question?.id ?? Number.POSITIVE_INFINITY;
      const unseen = blocks.filter(({ id }) => id > lastId && id < before);
      const said = answer && answer.id < before ? answer : null;
      const { fresh, open } = colors.printable({ unseen, said, question, withModel, isEnd });
      const added = fresh.flatMap((block) => takeBlock(block, width));
      lastId = Math.max(lastId, fresh.at(-1)?.id ?? 0);
      if (open) {
        const { lines, isFirst } = answers.take(open, { width, isFinal: false });
        const shown = aired('answer', lines, isFirst);
        add(open.id, shown);
        added.push(...shown);
      }
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

interface AnswerPrinter {
  take(answer: { id: number; text: string }, how: { width: number; isFinal: boolean }): AnswerPart;
  open(width: number): AnswerPart;
}

/** Prints one answer after the other, each as it comes in. */
function createAnswerPrinter(appearance: Appearance): AnswerPrinter {
  let stream: MarkdownStream = emptyStream;
  let current = { id: 0, taken: 0, isFirst: true };
  return {
    take({ id, text }, how) {
      if (current.id !== id) {
        current = { id, taken: 0, isFirst: true };
        stream = emptyStream;
      }
      const { stream: next, printed } = advance(stream, text.slice(current.taken), { ...how, appearance });
      const { isFirst } = current;
      stream = how.isFinal ? emptyStream : next;
      current = { id, taken: text.length, isFirst: isFirst && printed.length === 0 };
      return { lines: printed, isFirst };
    },
    open: (width) => ({ lines: unfinished(stream, { width, appearance }), isFirst: current.isFirst }),
  };
}
