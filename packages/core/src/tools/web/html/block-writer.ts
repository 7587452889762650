import type { Indent, OutputBudget, PageBlock } from './block.js';
import { escapeStart, InlineText } from './inline-text.js';
import type { Attributes, PageElement } from './page-element.js';
import { TableDraft } from './table-draft.js';

/** Deeper nesting keeps its text but is indented no further. */
const DEEPEST_FRAME = 10;
/** A block with this much text beside its links is something to read. */
const PROSE_LENGTH = 60;

const none: readonly Indent[] = [];

interface OpenList {
  root: object;
  ordered: boolean;
  next: number;
}

interface Draft {
  kind: PageBlock['kind'];
  text: string;
  length?: number;
  joint?: string | undefined;
}

/** Gathers running text into blocks and puts them where they belong: the page, or a cell of a table. */
export class BlockWriter {
  readonly inline = new InlineText();
  readonly blocks: PageBlock[] = [];
  /** Level of the heading that is open; 0 outside of headings. */
  heading = 0;
  firstHeading = '';
  readonly #budget: OutputBudget;
  readonly #tables: TableDraft[] = [];
  readonly #lists: OpenList[] = [];
  /** Replaced, never changed: each block keeps the array it was written with. */
  #frames: readonly Indent[] = [];
  #joint: string | undefined;

  constructor(budget: OutputBudget) {
    this.#budget = budget;
  }

  get inTable(): boolean {
    return this.#tables.length > 0;
  }

  text(text: string, element: PageElement): void {
    if (!this.#sink(element)) return;
    this.inline.add(text);
    if (this.inline.isFull) this.#take(element, true);
  }

  /** Ends the current block at the border of a block element. */
  flush(element: PageElement): void {
    this.#take(element, false);
  }

  push(kind: PageBlock['kind'], text: string, element: PageElement): void {
    this.#push({ kind, text }, element);
  }

  openList(ordered: boolean, attributes: Attributes): void {
    const next = count(attributes['start']) ?? 1;
    this.#lists.push({ root: this.#lists[0]?.root ?? {}, ordered, next });
  }

  closeList(): void {
    this.#lists.pop();
  }

  openItem(attributes: Attributes): Indent | undefined {
    const list = this.#lists.at(-1);
    if (list) list.next = count(attributes['value']) ?? list.next;
    const first = list?.ordered ? `${list.next++}. ` : '- ';
    return this.openFrame({ first, rest: ' '.repeat(first.length), list: list?.root ?? null });
  }

  openFrame(spec: Omit<Indent, 'used'>): Indent | undefined {
    if (this.#frames.length >= DEEPEST_FRAME) return undefined;
    const frame = { ...spec, used: false };
    this.#frames = [...this.#frames, frame];
    return frame;
  }

  closeFrame(frame: Indent): void {
    const index = this.#frames.lastIndexOf(frame);
    if (index !== -1) this.#frames = this.#frames.slice(0, index);
  }

  beginTable(name: string, attributes: Attributes): void {
    const table = this.#tables.at(-1);
    if (name === 'table') {
      if (table) this.#dissolve(table);
      const layout = /^(presentation|none)$/.test(attributes['role'] ?? '');
      this.#tables.push(new TableDraft(layout, this.#budget));
    } else if (name === 'tr') table?.startRow();
    else if (name === 'td' || name === 'th') {
      this.inline.dropMarks();
      table?.startCell(name === 'th', span(attributes['colspan'], 30), span(attributes['rowspan'], 200));
    }
  }

  endTable(name: string, element: PageElement): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    if (name === 'td' || name === 'th') table.endCell();
    else if (name === 'tr' || name === 'table') table.endRow();
    if (name === 'table') this.#tables.pop();
    if (table.dissolved) return;
    if (name === 'table' || table.hasWholePart) this.#pushRows(table, element);
  }

  #take(element: PageElement, cut: boolean): void {
    const taken = this.inline.take();
    const joint = this.#joint;
    this.#joint = cut ? taken.end : undefined;
    if (taken.text === '') return;
    element.linkLength += taken.linkLength;
    element.links += taken.links;
    element.prose ||= taken.length - taken.linkLength >= PROSE_LENGTH;
    this.#push({ kind: 'text', text: this.#headed(taken.text), length: taken.length, joint }, element);
  }

  #headed(text: string): string {
    if (this.heading === 0) return escapeStart(text);
    const heading = text.replace(/\s*\n\s*/g, ' ');
    this.firstHeading ||= heading;
    return `${'#'.repeat(this.heading)} ${heading}`;
  }

  #push(draft: Draft, element: PageElement): void {
    const sink = this.#sink(element);
    if (draft.text === '' || !sink) return;
    sink.push(this.#block(draft, element));
    const table = this.#tables.at(-1);
    if (table && !table.dissolved && table.outgrown) this.#dissolve(table);
  }

  #block({ kind, text, length = text.length, joint }: Draft, element: PageElement): PageBlock {
    element.textLength += length;
    const starts = this.#frames.at(-1)?.used === false ? this.#frames.filter((frame) => !frame.used) : none;
    for (const frame of starts) frame.used = true;
    const block: PageBlock = { kind, text, element, frames: this.#frames, starts };
    if (joint !== undefined) block.joint = joint;
    return block;
  }

  #pushRows(table: TableDraft, element: PageElement): void {
    const joint = table.isFirstPart ? undefined : '\n';
    const text = table.takeMarkdown();
    if (text === null) this.#dissolve(table);
    // A table inside another has dissolved that one, so its rows belong to the page itself.
    else this.blocks.push(this.#block({ kind: 'table', text, joint }, element));
  }

  #dissolve(table: TableDraft): void {
    table.dissolved = true;
    for (const block of table.takeBlocks()) this.blocks.push(block);
  }

  /** The list that blocks go to now; null between the cells of a table, where text has no place. */
  #sink(element: PageElement): PageBlock[] | null {
    const table = this.#tables.at(-1);
    if (!table || table.dissolved) return this.blocks;
    if (table.cellBlocks) return table.cellBlocks;
    return element.name === 'caption' || element.parent?.name === 'caption' ? this.blocks : null;
  }
}

function span(text: string | undefined, most: number): number {
  return Math.min(Math.max(count(text) ?? 1, 1), most);
}

function count(text: string | undefined): number | null {
  const number = Number.parseInt(text ?? '', 10);
  return number >= 0 && number < 1e8 ? number : null;
}
