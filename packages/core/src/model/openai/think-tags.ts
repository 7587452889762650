/** Local servers without a reasoning parser leave thoughts in the text, between these tags at its start. */
const OPEN = '<think>';
const CLOSE = '</think>';

interface Split {
  thinking: string;
  text: string;
}

export interface ThinkSplitter {
  push(delta: string): Split;
  end(): Split;
}

/** Separates thoughts from text as they arrive; a tag may be cut by a chunk border. */
export function createThinkSplitter(): ThinkSplitter {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';

  const push = (delta: string): Split => {
    held += delta;
    let thinking = '';
    if (state === 'start') {
      const begun = held.trimStart();
      if (begun.length < OPEN.length && OPEN.startsWith(begun)) return { thinking: '', text: '' };
      if (begun.startsWith(OPEN)) {
        state = 'thinking';
        held = begun.slice(OPEN.length);
      } else state = 'text';
    }
    if (state === 'thinking') {
      const at = held.indexOf(CLOSE);
      const cut = at >= 0 ? at : held.length - partialTagLength(held);
      thinking = held.slice(0, cut);
      held = held.slice(at >= 0 ? at + CLOSE.length : cut);
      if (at < 0) return { thinking, text: '' };
      state = 'after';
    }
    if (state === 'after') {
      held = held.trimStart();
      if (held === '') return { thinking, text: '' };
      state = 'text';
    }
    const text = held;
    held = '';
    return { thinking, text };
  };

  return {
    push,
    end: () => {
      const rest = held;
      held = '';
      return state === 'thinking' ? { thinking: rest, text: '' } : { thinking: '', text: rest };
    },
  };
}

/** Length of the end of the text that may be the start of the closing tag. */
function partialTagLength(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
