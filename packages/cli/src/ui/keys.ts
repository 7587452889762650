import type { Key, NamedKey } from '../app/key.js';

/** Turns what a terminal sends into keys, wherever the chunks are cut. */
export interface KeyDecoder {
  push(chunk: string): Key[];
  /** Whether a lone escape waits for what may follow. */
  readonly isWaiting: boolean;
  /** Nothing followed. */
  settle(): Key[];
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
  '\x08': 'backspace',
  '\x7f': 'backspace',
  '\x0b': 'erase-to-end',
  '\x0c': 'clear-screen',
  '\x0e': 'down',
  '\x10': 'up',
  '\x15': 'erase-to-start',
  '\x17': 'erase-word',
  '\x1a': 'suspend',
};

/** After an escape character. */
const afterEscape: Readonly<Record<string, NamedKey>> = {
  '\r': 'newline',
  '\n': 'newline',
  b: 'word-left',
  f: 'word-right',
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
};

const tildes: Readonly<Record<string, NamedKey>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '7': 'home',
  '8': 'end',
};

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** No sequence of a keyboard is longer; what is must be something else. */
const MAX_SEQUENCE = 32;

export function createKeyDecoder(): KeyDecoder {
  let pending = '';
  let pasted: string | null = null;

  function takePaste(): Key[] | null {
    const end = pending.indexOf(PASTE_END);
    if (end === -1) {
      const kept = overlap(pending, PASTE_END);
      pasted += pending.slice(0, pending.length - kept);
      pending = pending.slice(pending.length - kept);
      return null;
    }
    const text = `${pasted}${pending.slice(0, end)}`.replace(/\r\n?/g, '\n');
    pending = pending.slice(end + PASTE_END.length);
    pasted = null;
    return [{ name: 'paste', text }];
  }

  /** Null: what is pending is the beginning of something. */
  function takeOne(): Key[] | null {
    if (pasted !== null) return takePaste();
    if (pending.startsWith(PASTE_START)) {
      pending = pending.slice(PASTE_START.length);
      pasted = '';
      return [];
    }
    if (pending.startsWith('\x1b')) return takeEscape();
    const text = /^[^\x00-\x1f\x7f]+/.exec(pending)?.[0];
    if (text !== undefined) {
      pending = pending.slice(text.length);
      return [{ name: 'text', text }];
    }
    const name = controls[pending[0] ?? ''];
    pending = pending.slice(1);
    return name ? [{ name }] : [];
  }

  function takeEscape(): Key[] | null {
    const sequence = /^\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|O[@-~])/.exec(pending)?.[0];
    if (sequence !== undefined) {
      pending = pending.slice(sequence.length);
      const name = sequenceName(sequence);
      return name ? [{ name }] : [];
    }
    if (
      pending === '\x1b' ||
      (/^\x1b(?:\[[0-9;:<=>? -/]*|O)$/.test(pending) && pending.length < MAX_SEQUENCE)
    )
      return null;
    if (pending.startsWith('\x1b\x1b')) {
      pending = pending.slice(1);
      return [{ name: 'escape' }];
    }
    const name = afterEscape[pending[1] ?? ''];
    pending = pending.slice(2);
    return name ? [{ name }] : [];
  }

  function take(): Key[] {
    const keys: Key[] = [];
    while (pending !== '') {
      const taken = takeOne();
      if (taken === null) break;
      keys.push(...taken);
    }
    return keys;
  }

  return {
    push(chunk) {
      pending += chunk;
      return take();
    },
    get isWaiting() {
      return pasted === null && pending.startsWith('\x1b');
    },
    settle() {
      if (pasted !== null || !pending.startsWith('\x1b')) return [];
      pending = pending.slice(1);
      return [{ name: 'escape' }, ...take()];
    },
  };
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
