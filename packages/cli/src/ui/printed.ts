import type { Block, State } from '../app/state.js';
import { hasAir, renderFinished } from './render/blocks.js';
import type { Line, Look } from './render/line.js';
import type { Screen } from './render/live.js';
import { advance, emptyStream, type MarkdownStream, unfinished } from './render/markdown-stream.js';
import { fitted, hiddenNotice, renderQuestion, rowsForQuestion } from './render/question.js';

/** What is on the screen for good: each block once, each part of an answer as soon as it can't change. */
export interface Printed {
  /** Lines that are new since the last time. */
  take(state: State, screen: Screen): Line[];
  /** The part of the answer that may still change. */
  open(screen: Screen): Line[];
}

export function createPrinted(look: Look, { showsPrompts = true } = {}): Printed {
  let lastId = 0;
  let before: Block['kind'] | 'question' | null = null;
  let stream: MarkdownStream = emptyStream;
  let answer = { id: 0, taken: 0, isFirst: true };
  let asked = { id: 0, isWhole: false };

  function aired(kind: Block['kind'] | 'question', lines: readonly Line[]): Line[] {
    if (lines.length === 0) return [];
    const air: Line[] = hasAir(before, kind) ? [[]] : [];
    before = kind;
    return [...air, ...lines];
  }

  function takeAnswer(id: number, text: string, frame: { width: number; isFinal: boolean }): Line[] {
    if (answer.id !== id) {
      answer = { id, taken: 0, isFirst: true };
      stream = emptyStream;
    }
    const { stream: next, printed } = advance(stream, text.slice(answer.taken), { ...frame, look });
    stream = frame.isFinal ? emptyStream : next;
    answer.taken = text.length;
    if (printed.length === 0 || !answer.isFirst) return printed;
    answer.isFirst = false;
    return aired('answer', printed);
  }

  function takeBlock(block: Block, screen: Screen): Line[] {
    const width = screen.columns - 1;
    if (block.kind === 'prompt' && !showsPrompts) return [];
    if (block.kind === 'answer') return takeAnswer(block.id, block.text, { width, isFinal: true });
    return aired(block.kind, renderFinished(block, width, look));
  }

  function takeQuestion(state: State, screen: Screen): Line[] {
    const { question: open } = state;
    if (!open || (asked.id === open.id && asked.isWhole === open.showsAll)) return [];
    asked = { id: open.id, isWhole: open.showsAll };
    const width = screen.columns - 1;
    const lines = renderQuestion(open.question, width);
    if (open.showsAll) return aired('question', lines);
    const { shown, hidden } = fitted(lines, rowsForQuestion(open.question, screen));
    return aired('question', hidden > 0 ? [...shown, hiddenNotice(hidden)] : shown);
  }

  return {
    take(state, screen) {
      const lines: Line[] = [];
      for (const block of state.blocks) {
        if (block.id > lastId) lines.push(...takeBlock(block, screen));
        lastId = Math.max(lastId, block.id);
      }
      lines.push(...takeQuestion(state, screen));
      if (state.answer) {
        lines.push(
          ...takeAnswer(state.answer.id, state.answer.text, { width: screen.columns - 1, isFinal: false }),
        );
      }
      return lines;
    },
    open(screen) {
      const lines = unfinished(stream, { width: screen.columns - 1, look });
      const isFirst = answer.isFirst && lines.length > 0;
      return isFirst && hasAir(before, 'answer') ? [[], ...lines] : lines;
    },
  };
}
