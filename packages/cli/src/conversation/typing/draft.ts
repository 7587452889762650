import type { State } from '@toolwright/core';
import {
  deadlineIn,
  isFromBeforeRestart,
  isJsonObject,
  type Lease,
  lifeOf,
  ownLease,
  readLease,
} from '@toolwright/core/front-end';
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
  /** The program it was typed in. */
  owner: Lease;
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
    writing = writing.then(async () => {
      const owner = await ownLease();
      await replaceDrafts(state, owner, text.trim() === '' ? [] : [{ workspace, owner, text }]);
    });
  }

  return {
    async restore() {
      const drafts = draftsIn(await state.readJson('drafts').catch(() => null));
      const here = drafts.filter((draft) => draft.workspace === workspace).reverse();
      const areOver = await Promise.all(here.map(({ owner }) => isOver(owner)));
      const mine = here.find((_, index) => areOver[index]);
      if (!mine || front.state.input.text !== '') return false;
      await replaceDrafts(state, mine.owner, []);
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
async function replaceDrafts(state: State, owner: Lease, own: readonly Draft[]): Promise<void> {
  const change = (saved: unknown) => {
    const others = draftsIn(saved).filter((draft) => !isSame(draft.owner, owner));
    return { drafts: [...others, ...own].slice(-MOST_DRAFTS).map((draft) => ({ ...draft })) };
  };
  await state.updateJson('drafts', change, deadlineIn(LIMIT_MS)).catch(() => undefined);
}

function draftsIn(saved: unknown): Draft[] {
  const list = isJsonObject(saved) && Array.isArray(saved['drafts']) ? saved['drafts'] : [];
  return list.filter(
    (draft): draft is Draft =>
      isJsonObject(draft) && typeof draft['text'] === 'string' && readLease(draft['owner']) !== null,
  );
}

async function isOver(owner: Lease): Promise<boolean> {
  return (await lifeOf(owner)) === 'dead' || isFromBeforeRestart(owner);
}

function isSame(one: Lease, other: Lease): boolean {
  return one.pid === other.pid && one.start === other.start && one.boot === other.boot;
}
