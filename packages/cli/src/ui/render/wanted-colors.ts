import type { Block, OpenAnswer, State } from '../../app/state.js';
import { isHighlightingSettled, loadHighlighting } from './highlight.js';
import type { Appearance } from './line.js';

interface Unprinted extends Pick<State, 'question' | 'withModel'> {
  unseen: readonly Block[];
  /** The answer that is coming in. */
  said: OpenAnswer | null;
  /** Nothing more is drawn after this: nothing waits. */
  isEnd: boolean;
}

/** The colours of languages, which are loaded when something is drawn that has them. */
export interface Colors {
  /** What can be printed now; the first that lacks its colours waits for them, with all behind it. */
  printable(unprinted: Unprinted): { fresh: readonly Block[]; open: OpenAnswer | null };
}

export function createColors(appearance: Appearance, onColors?: () => void): Colors {
  let isAwaited = false;
  function awaitColors(): void {
    if (isAwaited) return;
    isAwaited = true;
    void loadHighlighting().then(onColors);
  }
  return {
    printable({ unseen, said, question, withModel, isEnd }) {
      if (!appearance.color || isHighlightingSettled()) return { fresh: unseen, open: said };
      // While the model thinks there is time for it.
      if (withModel) void loadHighlighting();
      const held = unseen.findIndex(hasCode);
      const isHeld = held >= 0 || (said !== null && isCode(said.text));
      if (isHeld || question?.question.diff) awaitColors();
      if (isEnd || !isHeld) return { fresh: unseen, open: said };
      return { fresh: held < 0 ? unseen : unseen.slice(0, held), open: null };
    },
  };
}

function hasCode(block: Block): boolean {
  switch (block.kind) {
    case 'diff':
      return true;
    case 'answer':
      return isCode(block.text);
    case 'call':
      return block.end.display?.kind === 'diff' || block.end.diff !== undefined;
    default:
      return false;
  }
}

function isCode(text: string): boolean {
  return /```|~~~/.test(text);
}
