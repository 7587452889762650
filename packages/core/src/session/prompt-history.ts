import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { State } from '@toolwright/machine/host/state/state.js';

/** Lines that the user typed at the prompt, kept for the arrow keys of later conversations. */
export interface PromptHistory {
  /** Oldest first; null when nothing was ever kept. */
  read(): Promise<string[] | null>;
  /** Secrets of known shape are left out; a text too long to be wanted again is not kept. */
  add(text: string, signal: AbortSignal): Promise<void>;
}

const MAX_ENTRIES = 10_000;
/** A limit for the whole file, which is read before the first prompt. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_LENGTH = 4_000;

/** `history.json` in the state folder, shared by all conversations. */
export function openPromptHistory(state: State, redactor: Pick<Redactor, 'text'>): PromptHistory {
  return {
    async read() {
      const saved = await state.readJson('history');
      return saved && textsIn(saved);
    },
    async add(text, signal) {
      const kept = redactor.text(text).trim();
      if (kept === '' || kept.length > MAX_LENGTH) return;
      await state.updateJson(
        'history',
        (saved) => {
          const earlier = saved ? textsIn(saved) : [];
          if (earlier.at(-1) === kept) return null;
          return { entries: newest([...earlier, kept]) };
        },
        signal,
      );
    },
  };
}

/** A history somebody has edited into something else is as good as none. */
function textsIn({ entries }: Record<string, unknown>): string[] {
  return Array.isArray(entries) ? entries.filter((entry) => typeof entry === 'string') : [];
}

function newest(entries: readonly string[]): string[] {
  let bytes = 0;
  const from = entries.findLastIndex((entry) => {
    bytes += entry.length;
    return bytes > MAX_BYTES;
  });
  return entries.slice(Math.max(from + 1, entries.length - MAX_ENTRIES));
}
