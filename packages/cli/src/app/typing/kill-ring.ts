import { erased, type InputLine, insert, type Movement } from '../input-line.js';
import { type Typing, withUndo } from './typing.js';

/** A changed line, and what there is to remember about the change. */
export interface Edited {
  input: InputLine;
  typing: Typing;
}

const MAX_KILLS = 30;

/** Erases up to where a movement would lead, and keeps what was erased; erasing on adds to the same piece. */
export function killed(typing: Typing, input: InputLine, movement: Movement): Edited {
  const after = erased(input, movement);
  return killedAs(typing, input, after);
}

/** Keeps what one line has and the other no longer has. */
export function killedAs(typing: Typing, before: InputLine, after: InputLine): Edited {
  const length = before.text.length - after.text.length;
  if (length <= 0) return { input: after, typing };
  const piece = before.text.slice(after.cursor, after.cursor + length);
  const isBackward = after.cursor < before.cursor;
  const [latest = '', ...rest] = typing.kills;
  const kills =
    typing.last?.kind === 'kill'
      ? [isBackward ? piece + latest : latest + piece, ...rest]
      : [piece, ...typing.kills];
  const remembered = withUndo(typing, before, { kind: 'kill' });
  return { input: after, typing: { ...remembered, kills: kills.slice(0, MAX_KILLS) } };
}

/** Ctrl+Y: puts back what was erased last; null when nothing was. */
export function yanked(typing: Typing, input: InputLine): Edited | null {
  const [latest] = typing.kills;
  if (latest === undefined) return null;
  const last = { kind: 'yank' as const, from: input.cursor, index: 0 };
  return { input: insert(input, latest), typing: withUndo(typing, input, last) };
}

/** Alt+Y right after a yank: the piece erased before that one takes its place. */
export function yankedEarlier(typing: Typing, input: InputLine): Edited | null {
  const { last, kills } = typing;
  if (last?.kind !== 'yank' || kills.length < 2) return null;
  const index = (last.index + 1) % kills.length;
  const text = input.text.slice(0, last.from) + input.text.slice(input.cursor);
  const bare = { text, cursor: last.from };
  return { input: insert(bare, kills[index] ?? ''), typing: { ...typing, last: { ...last, index } } };
}

/** Ctrl+_: the line as it was before the latest change; null at the first one. */
export function undone(typing: Typing): Edited | null {
  const before = typing.undo.at(-1);
  if (!before) return null;
  return { input: before, typing: { ...typing, undo: typing.undo.slice(0, -1), last: null } };
}
