import type { Key, NamedKey } from '../app/key.js';
import type { MouseReport } from './mouse.js';

/** A message that the terminal sends by itself. */
export type TerminalReport =
  | { name: 'background'; isLight: boolean }
  | { name: 'focus'; isIn: boolean }
  | MouseReport;

/** Turns what a terminal sends into keys, wherever the chunks are cut. */
export interface KeyDecoder {
  push(chunk: string): (Key | TerminalReport)[];
  /** True while a lone escape waits for what may follow. */
  readonly isWaiting: boolean;
  /** Ends the wait for more: gives what the bytes so far mean. */
  settle(): (Key | TerminalReport)[];
}

const controls: Readonly<Record<string, NamedKey>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x07': 'open-editor',
  '\x08': 'backspace',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\x0b': 'erase-to-end',
  '\x0c': 'clear-screen',
  '\x0e': 'down',
  '\x0f': 'unfold',
  '\x10': 'up',
  '\x12': 'search-history',
  '\x15': 'erase-to-start',
  '\x16': 'paste-image',
  '\x17': 'erase-word',
  '\x19': 'yank',
  '\x1a': 'suspend',
  '\x1f': 'undo',
};

const afterEscape: Readonly<Record<string, NamedKey>> = {
  '\r': 'newline',
  '\n': 'newline',
  b: 'word-left',
  f: 'word-right',
  d: 'erase-word-right',
  y: 'yank-earlier',
  '\x7f': 'erase-word',
  '\x08': 'erase-word',
};

const finals: Readonly<Record<string, NamedKey>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'next-mode',
};

const tildes: Readonly<Record<string, NamedKey>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '5': 'page-up',
  '6': 'page-down',
  '7': 'home',
  '8': 'end',
};

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** No sequence of a keyboard is longer; what is must be something else. */
const MAX_SEQUENCE = 32;

/** Input received but not yet understood; `pasted` while a paste is under way. */
interface Received {
  rest: string;
  pasted: string | null;
}

interface Taken extends Received {
  key?: Key | TerminalReport | undefined;
}

export function createKeyDecoder(): KeyDecoder {
  let received: Received = { rest: '', pasted: null };

  function take(): (Key | TerminalReport)[] {
    const keys: (Key | TerminalReport)[] = [];
    while (received.rest !== '') {
      const { key, ...next } = takeOne(received);
      if (next.rest === received.rest && next.pasted === received.pasted) break;
      received = next;
      if (key) keys.push(key);
    }
    return keys;
  }
  const isWaiting = (): boolean => received.pasted === null && received.rest.startsWith('\x1b');

  return {
    push(chunk) {
      received = { ...received, rest: received.rest + chunk };
      return take();
    },
    get isWaiting() {
      return isWaiting();
    },
    settle() {
      if (!isWaiting()) return [];
      received = { ...received, rest: received.rest.slice(1) };
      return [{ name: 'escape' }, ...take()];
    },
  };
}

/** Reads one key; gives the input back unchanged where more has to come first. */
function takeOne({ rest, pasted }: Received): Taken {
  if (pasted !== null) return takePaste(rest, pasted);
  if (rest.startsWith(PASTE_START)) return { rest: rest.slice(PASTE_START.length), pasted: '' };
  if (rest.startsWith('\x1b')) return { ...takeEscape(rest), pasted };
  const text = /^[^\x00-\x1f\x7f]+/.exec(rest)?.[0];
  if (text !== undefined) return { rest: rest.slice(text.length), pasted, key: { name: 'text', text } };
  return { rest: rest.slice(1), pasted, key: named(controls[rest[0] ?? '']) };
}

function takePaste(rest: string, pasted: string): Taken {
  const end = rest.indexOf(PASTE_END);
  if (end === -1) {
    const kept = rest.length - overlap(rest, PASTE_END);
    return { rest: rest.slice(kept), pasted: pasted + rest.slice(0, kept) };
  }
  const text = `${pasted}${rest.slice(0, end)}`.replace(/\r\n?/g, '\n');
  return { rest: rest.slice(end + PASTE_END.length), pasted: null, key: { name: 'paste', text } };
}

function takeEscape(rest: string): { rest: string; key?: Key | TerminalReport | undefined } {
  if (rest.startsWith('\x1b]')) return takeReport(rest);
  if (/^\x1b\[[IO]/.test(rest)) return { rest: rest.slice(3), key: { name: 'focus', isIn: rest[2] === 'I' } };
  const sequence = /^\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|O[@-~])/.exec(rest)?.[0];
  if (sequence !== undefined)
    return {
      rest: rest.slice(sequence.length),
      key: pointed(sequence) ?? named(sequenceName(sequence)),
    };
  const isBeginning = rest === '\x1b' || /^\x1b(?:\[[0-9;:<=>? -/]*|O)$/.test(rest);
  if (isBeginning && rest.length < MAX_SEQUENCE) return { rest };
  if (rest.startsWith('\x1b\x1b')) return { rest: rest.slice(1), key: { name: 'escape' } };
  return { rest: rest.slice(2), key: named(afterEscape[rest[1] ?? '']) };
}

const buttons = {
  '0M': 'pressed',
  '0m': 'released',
  '64M': 'wheel-up',
  '65M': 'wheel-down',
} as const;

/** The first button and the wheel, and the answer to a question for the cursor; other buttons mean nothing. */
function pointed(sequence: string): TerminalReport | undefined {
  const [, button, column, row, final] = /^\x1b\[<(\d+);(\d+);(\d+)([Mm])$/.exec(sequence) ?? [];
  const what = buttons[`${button}${final}` as keyof typeof buttons];
  if (what) return { name: 'mouse', what, row: Number(row), column: Number(column) };
  const cursor = /^\x1b\[(\d+);\d+R$/.exec(sequence);
  return cursor ? { name: 'cursor', row: Number(cursor[1]) } : undefined;
}

/** No answer of a terminal is longer. */
const MAX_REPORT = 100;

/** An answer to a question of ours: the colour of the background. */
function takeReport(rest: string): { rest: string; key?: TerminalReport | undefined } {
  const whole = /^\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)/.exec(rest);
  if (!whole) return rest.length < MAX_REPORT ? { rest } : { rest: rest.slice(2) };
  const parts = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(whole[1] ?? '');
  const left = rest.slice(whole[0].length);
  if (!parts) return { rest: left };
  const [red, green, blue] = parts
    .slice(1)
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  const brightness = 0.299 * (red ?? 0) + 0.587 * (green ?? 0) + 0.114 * (blue ?? 0);
  return { rest: left, key: { name: 'background', isLight: brightness > 0.5 } };
}

function named(name: NamedKey | undefined): Key | undefined {
  return name && { name };
}

/** Length of the longest end of the text that is a beginning of the mark. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--) {
    if (mark.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

function sequenceName(sequence: string): NamedKey | undefined {
  const [, parameters = '', final = ''] = /^\x1b[[O]([0-9;:]*)(.)$/.exec(sequence) ?? [];
  const [first = '', modifier = '', third = ''] = parameters.split(';');
  if (final === '~' && first === '27') return third === '13' && modifier !== '1' ? 'newline' : undefined;
  if (final === 'u') return unicodeKey(first, modifier);
  if (final === '~') return tildes[first];
  const name = finals[final];
  const hasModifier = modifier !== '' && modifier !== '1';
  if (hasModifier && name === 'left') return 'word-left';
  if (hasModifier && name === 'right') return 'word-right';
  return name;
}

/** Keys as newer terminals send them: the character's number and its modifiers. */
function unicodeKey(code: string, modifier: string): NamedKey | undefined {
  if (code === '13') return modifier === '' || modifier === '1' ? 'enter' : 'newline';
  if (code === '27') return 'escape';
  return code === '127' ? 'backspace' : undefined;
}
