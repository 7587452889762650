/** Differences that a view of a text overlooks. Line endings always are: every view ends lines with LF. */
export interface ViewOptions {
  /** Blanks before a line end. */
  trailingBlanks: boolean;
  /** Curly quotes, long dashes, odd spaces, characters without width. */
  lookAlikes: boolean;
  /** Leading tabs read as this many columns; 0 leaves them. */
  tabWidth: number;
  /** Blanks at the very end of the text belong to a line that goes on, so they stay. */
  openEnd?: boolean;
}

/** A text as a tolerant reader sees it, with the way back to the raw one. */
export interface View {
  text: string;
  /** For each character of the view, where the raw piece it stands for begins and ends. */
  starts: Uint32Array;
  ends: Uint32Array;
}

const LF = 10;
const CR = 13;
const TAB = 9;
const SPACE = 32;

const lookAlikes = new Map<number, number>();
for (const [characters, plain] of [
  ['\u2018\u2019\u201A\u201B\u2032\uFF07\u02BC', "'"],
  ['\u201C\u201D\u201E\u201F\u2033\uFF02', '"'],
  ['\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uFE63\uFF0D', '-'],
  ['\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000', ' '],
] as const) {
  for (const character of characters) lookAlikes.set(character.charCodeAt(0), plain.charCodeAt(0));
}
/** Zero-width space, word joiner, byte order mark, soft hyphen. */
const widthless = new Set([0x200b, 0x2060, 0xfeff, 0xad]);

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** True when lone carriage returns end the lines of this text. */
export function endsLinesWithCr(text: string): boolean {
  return text.includes('\r') && !text.includes('\n');
}

class ViewBuilder {
  #codes: Uint16Array;
  #starts: Uint32Array;
  #ends: Uint32Array;
  length = 0;

  constructor(capacity: number) {
    this.#codes = new Uint16Array(capacity);
    this.#starts = new Uint32Array(capacity);
    this.#ends = new Uint32Array(capacity);
  }

  add(code: number, start: number, end: number): void {
    this.#codes[this.length] = code;
    this.#starts[this.length] = start;
    this.#ends[this.length] = end;
    this.length++;
  }

  dropBlanks(): void {
    while (this.length > 0 && isBlank(this.#codes[this.length - 1]!)) this.length--;
  }

  build(): View {
    const bytes = Buffer.from(this.#codes.buffer, 0, this.length * 2);
    return {
      text: bytes.toString('utf16le'),
      starts: this.#starts.subarray(0, this.length),
      ends: this.#ends.subarray(0, this.length),
    };
  }
}

export function viewOf(raw: string, options: ViewOptions): View {
  const { trailingBlanks, tabWidth } = options;
  const view = new ViewBuilder(raw.length + tabCount(raw, tabWidth) * tabWidth);
  let column = 0;
  let leading = true;
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    const pair = code === CR && raw.charCodeAt(at + 1) === LF;
    if (code === LF || code === CR) {
      if (trailingBlanks) view.dropBlanks();
      view.add(LF, at, pair ? at + 2 : at + 1);
      if (pair) at++;
      column = 0;
      leading = true;
      continue;
    }
    if (options.lookAlikes && widthless.has(code)) continue;
    const plain = options.lookAlikes ? (lookAlikes.get(code) ?? code) : code;
    if (leading && tabWidth > 0 && plain === TAB) {
      const stop = column - (column % tabWidth) + tabWidth;
      for (; column < stop; column++) view.add(SPACE, at, at + 1);
      continue;
    }
    if (plain === SPACE) column++;
    else leading = false;
    view.add(plain, at, at + 1);
  }
  if (trailingBlanks && !options.openEnd) view.dropBlanks();
  return view.build();
}

function tabCount(raw: string, tabWidth: number): number {
  if (tabWidth === 0) return 0;
  let count = 0;
  for (let at = raw.indexOf('\t'); at !== -1; at = raw.indexOf('\t', at + 1)) count++;
  return count;
}

/** A match may begin or end only between raw characters, not inside a tab that is read as several blanks. */
export function isBoundary(view: View, index: number): boolean {
  return index === 0 || index >= view.starts.length || view.starts[index] !== view.starts[index - 1];
}
