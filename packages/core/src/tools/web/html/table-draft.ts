import type { OutputBudget, PageBlock } from './block.js';

interface Cell {
  blocks: PageBlock[];
  header: boolean;
  columns: number;
  rows: number;
}

const LONGEST_CELL = 1500;
const MOST_COLUMNS = 100;
/** Rows are written out in parts, so that no table is written at one go. */
const ROWS_PER_PART = 200;

/**
 * A table while it is being read. Rows and cells are tracked separately from the nesting of tags, which pages get wrong. A
 * layout table is dissolved: its blocks stand for themselves.
 */
export class TableDraft {
  dissolved: boolean;
  readonly #budget: OutputBudget;
  #rows: Cell[][] = [];
  #row: Cell[] | null = null;
  #cell: Cell | null = null;
  #hanging: { text: string; rows: number }[] = [];
  #started = false;

  constructor(dissolved: boolean, budget: OutputBudget) {
    this.dissolved = dissolved;
    this.#budget = budget;
  }

  startRow(): void {
    this.endRow();
    this.#row = [];
  }

  endRow(): void {
    this.endCell();
    if (this.#row && this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = null;
  }

  startCell(header: boolean, columns: number, rows: number): void {
    this.endCell();
    if (this.dissolved) return;
    this.#row ??= [];
    this.#cell = { blocks: [], header, columns, rows };
    this.#row.push(this.#cell);
  }

  endCell(): void {
    this.#cell = null;
  }

  get cellBlocks(): PageBlock[] | null {
    return this.#cell?.blocks ?? null;
  }

  get hasWholePart(): boolean {
    return !this.dissolved && this.#rows.length >= ROWS_PER_PART;
  }

  /** True when the current cell or row is more than a Markdown table can show. */
  get outgrown(): boolean {
    const cell = this.#cell;
    if ((this.#row?.length ?? 0) > MOST_COLUMNS) return true;
    if (!cell) return false;
    return (
      cell.blocks.some((block) => block.kind !== 'text') ||
      cell.blocks.reduce((sum, block) => sum + block.text.length, 0) > LONGEST_CELL
    );
  }

  get isFirstPart(): boolean {
    return !this.#started;
  }

  /** The rows read so far as Markdown, or null when they are better read as a sequence of blocks. */
  takeMarkdown(): string | null {
    const rows = this.#rows;
    const single = rows.length === 1 && !rows[0]?.some((cell) => cell.header);
    if (rows.length === 0 || (!this.#started && single)) return null;
    const grid = rows.map((row) => this.#fill(row));
    const width = Math.max(...grid.map((line) => line.length));
    if (!this.#started && width < 2) return null;
    const lines: string[] = [];
    if (!this.#started) {
      const hasHeader = rows[0]?.every((cell) => cell.header) === true;
      const head = hasHeader ? (grid.shift() ?? []) : [];
      lines.push(lineOf(Array.from({ length: width }, (_, index) => head[index] ?? '')));
      lines.push(`|${' --- |'.repeat(width)}`);
    }
    this.#started = true;
    this.#rows = [];
    for (const line of grid) lines.push(lineOf(line));
    return lines.join('\n');
  }

  /** Takes the blocks not yet taken, in reading order. */
  takeBlocks(): PageBlock[] {
    const rows = this.#row ? [...this.#rows, this.#row] : this.#rows;
    this.#rows = [];
    this.#row = null;
    this.#cell = null;
    return rows.flatMap((row) => row.flatMap((cell) => cell.blocks));
  }

  #fill(row: readonly Cell[]): string[] {
    const line: string[] = [];
    const below: { text: string; rows: number }[] = [];
    const takeHanging = () => {
      for (let above = this.#hanging[line.length]; above; above = this.#hanging[line.length]) {
        if (above.rows > 1) below[line.length] = { text: above.text, rows: above.rows - 1 };
        line.push(this.#budget.spend(above.text.length + 3) ? above.text : '');
        if (line.length > MOST_COLUMNS) return;
      }
    };
    for (const cell of row) {
      takeHanging();
      const text = cellText(cell.blocks);
      for (let column = 0; column < cell.columns; column++) {
        if (cell.rows > 1) below[line.length] = { text: column === 0 ? text : '', rows: cell.rows - 1 };
        line.push(column === 0 ? text : '');
      }
    }
    takeHanging();
    this.#hanging = below;
    return line;
  }
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function cellText(blocks: readonly PageBlock[]): string {
  return blocks
    .map((block) => `${block.starts.at(-1)?.first ?? ''}${block.text}`.replace(/\s*\n\s*/g, ' '))
    .join('<br>')
    .replaceAll('|', '\\|');
}
