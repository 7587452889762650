/** Text put before and after a run of text, once the run proves not to be empty. */
export interface Mark {
  kind: string;
  open: string;
  close: string;
  /** Set on links: the target, and whether it is on this same page. */
  link?: { url: string; samePage: boolean };
  written: boolean;
  /** Index of the first piece inside the mark. */
  start: number;
}

export interface TakenText {
  text: string;
  length: number;
  linkLength: number;
  links: number;
  /** The blank or line break the text ended with. */
  end: string;
}

const MOST_PIECES = 5000;
const MOST_CHARACTERS = 100_000;

/**
 * Running text of one block. Blanks are collapsed, and written only before the next visible text, so that marks sit tight around their
 * words whatever the blanks in the source.
 */
export class InlineText {
  #pieces: string[] = [];
  #marks: Mark[] = [];
  #blank = false;
  #length = 0;
  #linkLength = 0;
  #links = 0;

  /** True when the block holds enough; the caller then starts another. */
  get isFull(): boolean {
    return this.#pieces.length > MOST_PIECES || this.#length > MOST_CHARACTERS;
  }

  add(text: string): void {
    const collapsed = text.replace(/[ \t\n\r\f\v\u00a0\u2028\u2029]+/g, ' ');
    if (collapsed === '') return;
    if (collapsed.startsWith(' ')) this.#blank = true;
    const visible = collapsed.trim();
    if (visible === '') return;
    this.addRaw(visible);
    this.#blank = collapsed.endsWith(' ');
  }

  /** Adds visible text whose inner blanks are preserved. */
  addRaw(text: string): void {
    if (this.#blank && this.#pieces.length > 0 && this.#pieces.at(-1) !== '\n') this.#pieces.push(' ');
    this.#blank = false;
    for (const mark of this.#marks) {
      if (mark.written) continue;
      this.#pieces.push(mark.open);
      mark.written = true;
      mark.start = this.#pieces.length;
      if (mark.link) this.#links++;
    }
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#marks.some((mark) => mark.link)) this.#linkLength += text.length;
  }

  lineBreak(): void {
    this.#blank = false;
    if (this.#pieces.length > 0 && this.#pieces.at(-1) !== '\n') this.#pieces.push('\n');
  }

  isOpen(kind: string): boolean {
    return this.#marks.some((mark) => mark.kind === kind);
  }

  open(mark: Pick<Mark, 'kind' | 'open' | 'close' | 'link'>): Mark {
    const opened: Mark = { kind: mark.kind, open: mark.open, close: mark.close, written: false, start: 0 };
    if (mark.link) opened.link = mark.link;
    this.#marks.push(opened);
    return opened;
  }

  close(mark: Mark): void {
    const index = this.#marks.lastIndexOf(mark);
    if (index === -1) return;
    this.#marks.splice(index, 1);
    if (mark.written) this.#finish(mark);
  }

  /** Drops open marks, so that they do not reach into the next cell of a table. */
  dropMarks(): void {
    this.#marks = [];
  }

  /** Takes the block's text. Open marks are closed here and opened again in the next block. */
  take(): TakenText {
    for (const mark of this.#marks.toReversed()) {
      if (mark.written) this.#finish(mark);
      mark.written = false;
    }
    const taken = {
      text: this.#pieces.join('').trim(),
      end: this.#pieces.at(-1) === '\n' ? '\n' : this.#blank ? ' ' : '',
      length: this.#length,
      linkLength: this.#linkLength,
      links: this.#links,
    };
    this.#pieces = [];
    this.#blank = false;
    this.#length = 0;
    this.#linkLength = 0;
    this.#links = 0;
    return taken;
  }

  #finish(mark: Mark): void {
    if (mark.link) {
      const inside = this.#pieces.slice(mark.start).join('');
      if (mark.link.samePage && /^[^\p{L}\p{N}]{0,2}$/u.test(inside.trim())) {
        this.#pieces.length = mark.start - 1;
        return;
      }
      if (inside === mark.link.url || `${inside}/` === mark.link.url) {
        this.#pieces.length = mark.start - 1;
        this.#pieces.push(mark.link.url);
        return;
      }
    }
    const broken = this.#pieces.at(-1) === '\n';
    if (broken) this.#pieces.pop();
    this.#pieces.push(mark.close);
    if (broken) this.#pieces.push('\n');
  }
}

/** Code in running text, fenced by one backtick more than it holds. */
export function inlineCode(code: string): string {
  const text = code.replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  const fence = '`'.repeat(longestRun(text) + 1);
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${text}${gap}${fence}`;
}

export function codeBlock(code: string, language: string): string {
  const text = code.replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd();
  if (text.trim() === '') return '';
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Keeps a paragraph a paragraph: its first characters must not read as a heading, quote, list or fence. */
export function escapeStart(text: string): string {
  return text.replace(/^(?=#{1,6} |>|[-+*] |={3,}|-{3,}|```|~~~)|^(\d{1,9})(?=[.)] )/gm, '$1\\');
}
