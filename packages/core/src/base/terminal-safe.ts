/**
 * Untrusted text on its way to a terminal. Newline and tab stay; every other control character, and whatever
 * reorders or hides text (bidirectional marks, zero-width characters, tag characters), is made visible. As no
 * escape character passes, no escape sequence does.
 */
export interface TerminalSafe {
  /** The text, less an end that only the next chunk can complete. */
  write(chunk: string): string;
  /** What is left when nothing follows. */
  end(): string;
}

const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Chunk after chunk: a character or line end that is cut in two by a border is treated like a whole one. */
export function createTerminalSafe(): TerminalSafe {
  let pending = '';
  return {
    write(chunk) {
      const text = pending + chunk;
      const last = text.charCodeAt(text.length - 1);
      const isUnfinished = last === 0x0d || (last >= 0xd800 && last <= 0xdbff);
      pending = isUnfinished ? text.slice(-1) : '';
      return escapeHidden(isUnfinished ? text.slice(0, -1) : text);
    },
    end() {
      const rest = escapeHidden(pending);
      pending = '';
      return rest;
    },
  };
}

export function terminalSafe(text: string): string {
  return escapeHidden(text);
}

/** The same for text that stands inside a line of ours: one with line breaks could pass for several. */
export function terminalSafeLine(text: string): string {
  return terminalSafe(text).replace(/[\n\t]/g, visible);
}

function escapeHidden(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(HIDDEN, visible).replace(LONE_SURROGATE, '\ufffd');
}

function visible(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Control characters and line separators in a name are written as escapes, in quotes. */
export function quoteUnlessPlain(name: string): string {
  if (!/[\p{Cc}\u2028\u2029]/u.test(name)) return name;
  return JSON.stringify(name).replace(/[\u007f-\u009f\u2028\u2029]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
