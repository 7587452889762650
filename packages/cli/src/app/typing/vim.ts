import { graphemes, type InputLine, insert, moved } from '../input-line.js';
import type { Key } from '../key.js';
import { changed } from './edit.js';
import { type Edited, killedAs, undone } from './kill-ring.js';
import type { Typing } from './typing.js';
import { reachedBy, wordAround } from './vim-motions.js';
import type { VimState } from './vim-state.js';

const MOTION = '(?:[hljkwbe0^$G;, ]|gg|[fFtT].)';
const movement = new RegExp(`^([1-9]\\d*)?(${MOTION})$`, 'su');
const operation = new RegExp(`^([1-9]\\d*)?([dcy])([1-9]\\d*)?(${MOTION}|[ia]w|[dcy])$`, 'su');
const simple = /^([1-9]\d*)?([iaIAoOxXDCYpPu.~JsS]|r.)$/su;
const unfinished = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?[ia]?)?(?:[fFtTg])?$|^(?:[1-9]\d*)?r$/;

/** A key in the normal mode of vim, or Escape in its insert mode; null when the key means what it always does. */
export function vimEdited(typing: Typing, input: InputLine, key: Key): Edited | null {
  const { vim } = typing;
  if (!vim) return null;
  if (key.name === 'escape' && vim.mode === 'insert') {
    const back = moved(input, 'left').cursor;
    const cursor = Math.max(moved(input, 'line-start').cursor, back);
    return { input: { ...input, cursor }, typing: inMode(typing, vim, 'normal') };
  }
  if (key.name === 'escape' && vim.pending !== '') return { input, typing: inMode(typing, vim, 'normal') };
  if (vim.mode === 'insert' || key.name !== 'text') return null;
  let edited: Edited = { input, typing };
  for (const character of graphemes(key.text)) edited = pressed(edited, character);
  return edited;
}

function inMode(typing: Typing, vim: VimState, mode: VimState['mode']): Typing {
  return { ...typing, last: null, vim: { ...vim, mode, pending: '' } };
}

function pressed({ input, typing }: Edited, character: string): Edited {
  const { vim } = typing;
  // An insert command may have come before it in the same burst of keys.
  if (!vim || vim.mode === 'insert') return changed(typing, input, insert(input, character), true);
  const keys = vim.pending + character;
  const done = performed({ input, typing }, keys);
  if (done) {
    const isChange = done.input.text !== input.text && !/^\d*[u.]$/.test(keys);
    const after = done.typing.vim ?? vim;
    const repeat = isChange ? keys : after.repeat;
    return {
      input: settled(done.input, after),
      typing: { ...done.typing, vim: { ...after, pending: '', repeat } },
    };
  }
  const pending = unfinished.test(keys) ? keys : '';
  return { input, typing: { ...typing, vim: { ...vim, pending } } };
}

/** In normal mode the cursor stands on a character, never behind the last one of a line. */
function settled(input: InputLine, { mode }: VimState): InputLine {
  if (mode === 'insert') return input;
  const [start, end] = [moved(input, 'line-start').cursor, moved(input, 'line-end').cursor];
  return input.cursor === end && end > start ? moved(input, 'left') : input;
}

function performed(at: Edited, keys: string): Edited | null {
  const move = movement.exec(keys);
  if (move) return movedBy(at, move[2] ?? '', Number(move[1] ?? 1));
  const operate = operation.exec(keys);
  if (operate) {
    const count = Number(operate[1] ?? 1) * Number(operate[3] ?? 1);
    return operated(at, { operator: operate[2] ?? '', motion: operate[4] ?? '', count });
  }
  const command = simple.exec(keys);
  if (!command) return null;
  let done: Edited = at;
  const count = Math.min(200, Number(command[1] ?? 1));
  for (let time = 0; time < count; time++) done = commanded(done, command[2] ?? '') ?? done;
  return done;
}

function movedBy({ input, typing }: Edited, motion: string, count: number): Edited {
  let cursor = input.cursor;
  const { vim } = typing;
  for (let time = 0; time < Math.min(count, 1000); time++)
    cursor = reachedBy(motion, { ...input, cursor }, vim?.found ?? '')?.cursor ?? cursor;
  const found = /^[fFtT]/.test(motion) ? motion : (vim?.found ?? '');
  return { input: { ...input, cursor }, typing: { ...typing, last: null, vim: vim && { ...vim, found } } };
}

function rangeOf(
  input: InputLine,
  { operator, motion, count }: { operator: string; motion: string; count: number },
  found: string,
): { from: number; to: number } | null {
  if (motion === operator) {
    const from = moved(input, 'line-start').cursor;
    const to = moved(input, 'line-end').cursor;
    // A deleted line takes its newline along.
    return { from, to: operator === 'd' && input.text[to] === '\n' ? to + 1 : to };
  }
  if (motion === 'iw' || motion === 'aw') return wordAround(input, motion === 'aw');
  if (/^[dcy]$/.test(motion)) return null;
  // `cw` leaves the blanks behind the word alone.
  const used = operator === 'c' && motion === 'w' ? 'e' : motion;
  let reached = { cursor: input.cursor, isInclusive: false };
  for (let time = 0; time < Math.min(count, 1000); time++) {
    const next = reachedBy(used, { ...input, cursor: reached.cursor }, found);
    if (!next) return null;
    reached = next;
  }
  const [from, to] = [Math.min(reached.cursor, input.cursor), Math.max(reached.cursor, input.cursor)];
  return { from, to: to + (reached.isInclusive ? 1 : 0) };
}

function operated(
  { input, typing }: Edited,
  what: { operator: string; motion: string; count: number },
): Edited | null {
  const { vim } = typing;
  const range = vim && rangeOf(input, what, vim.found);
  if (!range) return what.operator === what.motion ? null : { input, typing };
  const { from, to } = range;
  if (what.operator === 'y')
    return {
      input: { ...input, cursor: from },
      typing: { ...typing, kills: [input.text.slice(from, to), ...typing.kills] },
    };
  const after = { text: input.text.slice(0, from) + input.text.slice(to), cursor: from };
  const cut = killedAs({ ...typing, last: null }, input, after);
  return what.operator === 'c' && cut.typing.vim
    ? { ...cut, typing: inMode(cut.typing, cut.typing.vim, 'insert') }
    : cut;
}

const asOperation: Readonly<Record<string, [operator: string, motion: string]>> = {
  x: ['d', 'l'],
  X: ['d', 'h'],
  D: ['d', '$'],
  C: ['c', '$'],
  Y: ['y', 'y'],
  s: ['c', 'l'],
  S: ['c', 'c'],
};

function commanded(at: Edited, command: string): Edited | null {
  const { input, typing } = at;
  const { vim } = typing;
  if (!vim) return null;
  const short = asOperation[command];
  if (short) return operated(at, { operator: short[0], motion: short[1], count: 1 });
  const inserting = (line: InputLine): Edited => {
    const { typing: remembered } = changed(typing, input, line);
    return { input: line, typing: inMode(remembered, vim, 'insert') };
  };
  switch (command[0]) {
    case 'i':
      return inserting(input);
    case 'a':
      return inserting(input.cursor < moved(input, 'line-end').cursor ? moved(input, 'right') : input);
    case 'I':
      return inserting(moved(input, 'line-start'));
    case 'A':
      return inserting(moved(input, 'line-end'));
    case 'o':
      return inserting(insert(moved(input, 'line-end'), '\n'));
    case 'O': {
      const start = moved(input, 'line-start');
      return inserting({ ...insert(start, '\n'), cursor: start.cursor });
    }
    case 'u':
      return undone(typing);
    case '.':
      return vim.repeat === '' ? at : performed(at, vim.repeat);
    default:
      return rewritten(at, command);
  }
}

/** Commands that put other characters in the place of some. */
function rewritten({ input, typing }: Edited, command: string): Edited | null {
  const { text, cursor } = input;
  const here = graphemes(text.slice(cursor))[0] ?? '';
  const replaced = (by: string, to: number): Edited =>
    changed(typing, input, {
      text: text.slice(0, cursor) + by + text.slice(cursor + here.length),
      cursor: to,
    });
  switch (command[0]) {
    case 'p':
    case 'P': {
      const place = command === 'p' && here !== '' && here !== '\n' ? moved(input, 'right') : input;
      return changed(typing, input, insert(place, typing.kills[0] ?? ''));
    }
    case 'r':
      return here === '' || here === '\n' ? null : replaced(command.slice(1), cursor);
    case '~':
      return replaced(
        here === here.toUpperCase() ? here.toLowerCase() : here.toUpperCase(),
        cursor + here.length,
      );
    case 'J': {
      const end = moved(input, 'line-end').cursor;
      if (text[end] !== '\n') return null;
      return changed(typing, input, {
        text: `${text.slice(0, end)} ${text.slice(end + 1).trimStart()}`,
        cursor: end,
      });
    }
    default:
      return null;
  }
}
