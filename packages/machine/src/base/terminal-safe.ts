/**
 * Makes untrusted text safe for a terminal. Newline and tab stay; every other control character, and whatever reorders
 * or hides text (bidirectional marks, zero-width characters, tag characters), is made visible. As no escape character
 * passes, no escape sequence does.
 */
export interface TerminalSafe {
  /** The text, without an end that only the next chunk can complete. */
  write(chunk: string): string;
  /** The rest when no more chunks follow. */
  end(): string;
}

/** Most texts are plain; for them none of the patterns below, which take long to make, is needed. */
const PLAIN = /^[\n\t -~]*$/;

const hidden = (): RegExp =>
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/**
 * Joiners are text where letters need them: between the pictures of an emoji, between Arabic letters (Persian), and behind a letter or
 * sign of an Indic script that another one follows. Anywhere else, and two in a row, they hide something.
 */
const neededJoiner = (): RegExp =>
  /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Script=Arabic}\p{Mn}?)\u200c(?=\p{Script=Arabic})|(?<=[\u0900-\u0dff])[\u200c\u200d](?=[\u0900-\u0dff])/gu;
/** Stand in for the joiners that stay; no characters, and never in a text that passed. */
const KEPT = { '\u200c': '\ufdd1', '\u200d': '\ufdd2' } as const;

/** Selectors belong to pictures (❤️) and keycaps (1️⃣); anywhere else they hide something. */
const straySelector = (): RegExp =>
  /[\ufe00-\ufe0d]|(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f](?!\u20e3)/gu;
/** A joiner needs the letters on both sides of it, and those of an emoji may themselves be joined. */
const unfinished = (): RegExp =>
  /(?:(?:\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?|[\u0900-\u0dff]|\p{Script=Arabic}\p{Mn}?)[\u200c\u200d]){0,8}(?:\p{Extended_Pictographic}?[\ufe0e\ufe0f]|\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?|[\u0900-\u0dff]|\p{Script=Arabic}\p{Mn}?|\r|\p{Extended_Pictographic}?[\ud800-\udbff])?$/u;
const LONGEST_UNFINISHED = 64;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Works chunk by chunk: a character or line end cut in two by a chunk border is treated like a whole one. */
export function createTerminalSafe(): TerminalSafe {
  let pending = '';
  return {
    write(chunk) {
      const text = pending + chunk;
      pending = unfinishedEnd(text);
      return escapeHidden(text.slice(0, text.length - pending.length));
    },
    end() {
      const rest = escapeHidden(pending);
      pending = '';
      return rest;
    },
  };
}

/** Text with control and hidden characters made visible, so that it can be printed on a terminal. */
export function terminalSafe(text: string): string {
  return escapeHidden(text);
}

/** The same for text inside a line of ours, where line breaks could make it pass for several lines. */
export function terminalSafeLine(text: string): string {
  return terminalSafe(text).replace(/[\n\t]|[\ufe00-\ufe0f]/g, visible);
}

/**
 * JSON that is safe to print: characters a terminal would obey or hide are written as escapes, which mean the same to
 * every reader.
 */
export function terminalSafeJson(value: unknown, indent?: number): string {
  const escaped = (text: string): string =>
    [...Array(text.length).keys()]
      .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(value, null, indent).replace(hidden(), escaped).replace(straySelector(), escaped);
}

/**
 * The end of a text whose meaning depends on what follows: half of a line end or character, a picture that may get a
 * selector.
 */
export function unfinishedEnd(text: string): string {
  if (/[\0-\x0c\x0e-\x7f]$/.test(text)) return '';
  return unfinished().exec(text.slice(-LONGEST_UNFINISHED))?.[0] ?? '';
}

function escapeHidden(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.replace(/\r\n/g, '\n');
  const joined = /[\u200c\u200d]/.test(lines) ? keepJoiners(lines) : lines;
  const plain = joined.replace(hidden(), visible).replace(LONE_SURROGATE, '\ufffd');
  const shown = /[\ufe00-\ufe0f]/.test(plain) ? plain.replace(straySelector(), visible) : plain;
  return joined === lines
    ? shown
    : shown.replaceAll(KEPT['\u200c'], '\u200c').replaceAll(KEPT['\u200d'], '\u200d');
}

function keepJoiners(text: string): string {
  return text
    .replace(/[\ufdd1\ufdd2]/g, '\ufffd')
    .replace(neededJoiner(), (joiner) => KEPT[joiner as keyof typeof KEPT]);
}

function visible(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
