import type { State } from '@toolwright/core';
import { deadlineIn, isJsonObject } from '@toolwright/core/front-end';
import { inputOf } from '../../app/input-line.js';
import { unfoldedText } from '../../app/typing/paste.js';
import type { Front } from '../../ui/front.js';

/** Keeps what is being typed, so that a crash or a closed window does not lose it. */
export interface DraftKeeper {
  /** Puts the line of a conversation that ended in the middle of it back; false when there is none. */
  restore(): Promise<boolean>;
  /** The line has changed. */
  changed(): void;
  /** Writes what is left to write. */
  stop(): Promise<void>;
}

export interface DraftNeeds {
  front: Pick<Front, 'state' | 'dispatch'>;
  state: State;
  workspace: string;
  /** Takes secrets out. */
  clean(text: string): string;
}

interface Draft {
  workspace: string;
  pid: number;
  text: string;
}

const PAUSE_MS = 300;
const LIMIT_MS = 5_000;
const MOST_DRAFTS = 20;
const MAX_LENGTH = 256 * 1024;

export function createDraftKeeper({ front, state, workspace, clean }: DraftNeeds): DraftKeeper {
  let timer: NodeJS.Timeout | undefined;
  let kept = '';
  let writing: Promise<unknown> = Promise.resolve();

  function lineNow(): string {
    const { input, typing } = front.state;
    return clean(unfoldedText(input.text, typing.folded)).slice(0, MAX_LENGTH);
  }

  function write(): void {
    timer = undefined;
    const text = lineNow();
    if (text === kept) return;
    kept = text;
    const own = text.trim() === '' ? [] : [{ workspace, pid: process.pid, text }];
    writing = writing.then(() => replaceDrafts(state, process.pid, own));
  }

  return {
    async restore() {
      const drafts = draftsIn(await state.readJson('drafts').catch(() => null));
      const mine = drafts.findLast((draft) => draft.workspace === workspace && !isAlive(draft.pid));
      if (!mine || front.state.input.text !== '') return false;
      await replaceDrafts(state, mine.pid, []);
      front.dispatch({ type: 'line-replaced', input: inputOf(mine.text) });
      return true;
    },
    changed() {
      timer ??= setTimeout(write, PAUSE_MS);
    },
    async stop() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
}

/** A draft that can't be written must not disturb who types it. */
async function replaceDrafts(state: State, pid: number, own: readonly Draft[]): Promise<void> {
  const change = (saved: unknown) => {
    const others = draftsIn(saved).filter((draft) => draft.pid !== pid);
    return { drafts: [...others, ...own.map((draft) => ({ ...draft }))].slice(-MOST_DRAFTS) };
  };
  await state.updateJson('drafts', change, deadlineIn(LIMIT_MS)).catch(() => undefined);
}

function draftsIn(saved: unknown): Draft[] {
  const list = isJsonObject(saved) && Array.isArray(saved['drafts']) ? saved['drafts'] : [];
  return list.filter(
    (draft): draft is Draft =>
      isJsonObject(draft) && typeof draft['text'] === 'string' && typeof draft['pid'] === 'number',
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
