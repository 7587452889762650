/**
 * The screen of a terminal with what scrolled out of it, as far as our sequences go. Whatever else arrives is
 * kept in `unknown`, so that a test can insist on nothing else.
 */
export interface VirtualTerminal {
  write(data: string): void;
  /** Some terminals break the lines on the screen anew, others leave them as they are. */
  resize(columns: number, rows: number, how?: { reflow: boolean }): void;
  /** Everything ever shown, scrolled out or not, without blanks at the ends. */
  lines(): string[];
  readonly unknown: string[];
  /** Commands to the terminal that draw nothing: its title, notifications, links. */
  readonly commands: string[];
  readonly pastesAreMarked: boolean;
  /** Clicks are told, and the terminal neither selects nor scrolls by itself. */
  readonly reportsClicks: boolean;
  /** The row of the screen, from 1, of the last line that fits. */
  rowOf(pattern: RegExp): number;
  readonly isCursorHidden: boolean;
}

export interface VirtualTerminalOptions {
  /** Gets what the terminal answers to questions. */
  answer?(sequence: string): void;
  /** An erased line stays as wide as it was, for the day when it is broken anew. */
  isTmux?: boolean;
}

interface Cell {
  text: string;
  width: number;
}

/** Columns of one character with its marks. */
function widthOf(character: string): number {
  if (/^(?:\p{M}|\u200d)/u.test(character)) return 0;
  const isWide =
    /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
  return isWide.test(character) || /^\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
}

/** Styles, the colours of the palette, and one of 256 in front or behind. */
function isStyle(parameters: string): boolean {
  const one = '(?:0|[1-9]|3[0-79]|9[1-6]|[34]8;5;\\d{1,3})';
  return new RegExp(`^${one}(?:;${one})*$`).test(parameters);
}

export function createVirtualTerminal(
  columns: number,
  rows: number,
  { answer = () => undefined, isTmux = false }: VirtualTerminalOptions = {},
): VirtualTerminal {
  const size = { columns, rows };
  const grid: Cell[][] = [[]];
  const at = { row: 0, column: 0 };
  const modes = new Set<string>();
  const unknown: string[] = [];
  const commands: string[] = [];
  let pending = '';

  const top = (): number => Math.max(0, grid.length - size.rows);
  const lineAt = (row: number): Cell[] => (grid[row] ??= []);
  function down(): void {
    at.row += 1;
    while (grid.length <= at.row) grid.push([]);
  }
  function put(text: string): void {
    const width = widthOf(text);
    if (width === 0) {
      const before = lineAt(at.row)[at.column - 1];
      if (before) before.text += text;
      return;
    }
    if (at.column + width > size.columns) {
      at.column = 0;
      down();
    }
    const line = lineAt(at.row);
    while (line.length < at.column) line.push({ text: ' ', width: 1 });
    line[at.column] = { text, width };
    if (width === 2) line[at.column + 1] = { text: '', width: 0 };
    at.column += width;
  }
  function blank(row: number, from: number): void {
    const line = lineAt(row);
    for (let column = from; column < line.length; column++) line[column] = { text: ' ', width: 1 };
  }
  function erase(final: string, mode: string): void {
    if (isTmux) {
      blank(at.row, at.column);
      if (final === 'J') for (let row = at.row + 1; row < grid.length; row++) blank(row, 0);
    } else if (final === 'K') lineAt(at.row).length = Math.min(lineAt(at.row).length, at.column);
    else if (mode === '2') for (let row = top(); row < grid.length; row++) grid[row] = [];
    else {
      lineAt(at.row).length = Math.min(lineAt(at.row).length, at.column);
      grid.length = at.row + 1;
    }
  }
  /** No line of ours is as wide as the screen, so each is a line of its own until a narrower screen breaks it. */
  function reflow(): void {
    const rows = grid.splice(0);
    const { row: cursorRow, column } = at;
    rows.forEach((line, row) => {
      const width = Math.max(1, line.length);
      if (row === cursorRow) Object.assign(at, placeIn(line.slice(0, column).length));
      for (let from = 0; from < width; from += size.columns) grid.push(line.slice(from, from + size.columns));
    });
  }
  function placeIn(column: number): { row: number; column: number } {
    return { row: grid.length + Math.floor(column / size.columns), column: column % size.columns };
  }
  function control(sequence: string): void {
    const [, mode, parameters = '', final = ''] = /^\x1b\[([?]?)([0-9;]*)([A-Za-z])$/.exec(sequence) ?? [];
    const count = Number(parameters || 1);
    if (mode === '?' && (final === 'h' || final === 'l') && /^(25|1000|1004|1006|2004)$/.test(parameters)) {
      if (final === 'h') modes.add(parameters);
      else modes.delete(parameters);
    } else if (final === 'A') at.row = Math.max(top(), at.row - count);
    else if (final === 'n' && parameters === '6') answer(`\x1b[${at.row - top() + 1};${at.column + 1}R`);
    else if (final === 'C') at.column = Math.min(size.columns - 1, at.column + count);
    else if (final === 't' && /^2[23];2$/.test(parameters)) return;
    else if (final === 'M' && isTmux) {
      grid.splice(at.row, 1);
      grid.push([]);
    } else if (final === 'J' || final === 'K') erase(final, parameters);
    else if (final === 'H' && parameters === '') Object.assign(at, { row: top(), column: 0 });
    else if (final !== 'm' || !isStyle(parameters)) unknown.push(sequence);
  }
  /** Title, notification, link, and the question for the background. */
  function command(token: string): void {
    if (
      !/^\x1b\](?:2;[?*]? ?Toolwright[ a-z]*|9;Toolwright: [ a-z]+|777;notify;[ ;a-zA-Z]+|8;;[!-~]*|11;\?)\x07$/.test(
        token,
      )
    )
      unknown.push(token);
    else commands.push(token.slice(2, -1));
  }
  function take(token: string): void {
    if (token.startsWith('\x1b]')) command(token);
    else if (token.startsWith('\x1b[')) control(token);
    else if (token === '\r') at.column = 0;
    else if (token === '\n') down();
    else if (token === '\b') at.column = Math.max(0, at.column - 1);
    else if (/^[\x00-\x1f\x7f-\x9f]/.test(token)) unknown.push(token);
    else put(token);
  }
  modes.add('25');

  return {
    write(data) {
      const text = pending + data;
      const cut = /\x1b(?:\[[0-9;?]*|\][^\x07]*)?$/.exec(text)?.index ?? text.length;
      pending = text.slice(cut);
      for (const [token] of text
        .slice(0, cut)
        .matchAll(/\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b|\P{M}\p{M}*/gsu))
        take(token);
    },
    resize(width, height, how) {
      Object.assign(size, { columns: width, rows: height });
      if (how?.reflow) reflow();
    },
    lines() {
      const lines = grid.map((line) =>
        line
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      );
      const last = isTmux ? lines.findLastIndex((line) => line !== '') : lines.length - 1;
      return lines.slice(0, Math.max(last, at.row) + 1);
    },
    unknown,
    commands,
    get reportsClicks() {
      return modes.has('1000') && modes.has('1006');
    },
    rowOf(pattern) {
      const index = this.lines().findLastIndex((line) => pattern.test(line));
      return index - top() + 1;
    },
    get pastesAreMarked() {
      return modes.has('2004');
    },
    get isCursorHidden() {
      return !modes.has('25');
    },
  };
}
