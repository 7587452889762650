/** A part of a Markdown text that is shown, not said: code, or a comment. */
export interface CodeRange {
  start: number;
  end: number;
  kind: 'fence' | 'indented' | 'span' | 'html';
  /** False when it runs to the end of the text because nothing ends it. */
  closed: boolean;
}

interface OpenFence {
  start: number;
  mark: string;
  quotes: number;
  /** Column at which the content of the surrounding list item starts. */
  column: number;
}

interface Scan {
  text: string;
  ranges: CodeRange[];
  fence: OpenFence | null;
  /** Start of the paragraph, heading or item text that is being collected; -1 between blocks. */
  block: number;
  /** Columns at which the contents of the open list items start, outermost first. */
  lists: number[];
  quotes: number;
  afterBlank: boolean;
}

const HTML_START = /^<(?:!--|(?:pre|script|style|textarea)(?=[\s>]))/i;
const LIST_MARKER = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/;

/** Fenced and indented blocks, code spans, and HTML that is a comment or preformatted; in order. */
export function codeRanges(text: string): CodeRange[] {
  const scan: Scan = {
    text,
    ranges: [],
    fence: null,
    block: -1,
    lists: [],
    quotes: 0,
    afterBlank: true,
  };
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    start = scan.fence ? insideFence(scan, scan.fence, start, end) : scanLine(scan, start, end);
  }
  endBlock(scan, text.length);
  if (scan.fence)
    scan.ranges.push({ start: scan.fence.start, end: text.length, kind: 'fence', closed: false });
  return scan.ranges;
}

/** Each step returns where to go on: the next line, or the same one once more. */
function insideFence(scan: Scan, fence: OpenFence, start: number, end: number): number {
  const quoted = afterQuotes(scan.text.slice(start, end), fence.quotes);
  const line = quoted.rest.trim();
  const isCloser = line.startsWith(fence.mark) && line === fence.mark[0]!.repeat(line.length);
  const left = quoted.quotes < fence.quotes || (line !== '' && indentOf(quoted.rest) < fence.column);
  if (!isCloser && !left) return end;
  scan.fence = null;
  scan.ranges.push({ start: fence.start, end: left ? start : end, kind: 'fence', closed: true });
  return left ? start : end;
}

function scanLine(scan: Scan, start: number, end: number): number {
  const { quotes, rest } = afterQuotes(scan.text.slice(start, end), Number.POSITIVE_INFINITY);
  if (quotes !== scan.quotes) {
    endBlock(scan, start);
    scan.lists = [];
    scan.quotes = quotes;
  }
  if (rest.trim() === '') {
    endBlock(scan, start);
    scan.afterBlank = true;
    return end;
  }
  const content = afterListMarkers(scan, rest, start);
  const shift = content.column - (scan.lists.at(-1) ?? 0);
  const at = end - content.rest.length;
  scan.afterBlank = false;
  if (content.rest === '') return end;
  if (shift >= 4 && scan.block === -1) {
    scan.ranges.push({ start: at, end, kind: 'indented', closed: true });
    return end;
  }
  const fence = shift < 4 ? /^(`{3,}(?!.*`)|~{3,})/.exec(content.rest) : null;
  if (fence) {
    endBlock(scan, start);
    scan.fence = { start: at, mark: fence[0], quotes, column: scan.lists.at(-1) ?? 0 };
    return end;
  }
  const html = scan.block === -1 ? HTML_START.exec(content.rest) : null;
  if (html) return skipHtml(scan, at, closingPattern(html[0].toLowerCase()));
  const isHeading = /^#{1,6}(?=\s)/.test(content.rest);
  if (isHeading) endBlock(scan, start);
  if (scan.block === -1) scan.block = at;
  if (isHeading) endBlock(scan, end);
  return end;
}

function skipHtml(scan: Scan, start: number, ending: RegExp): number {
  ending.lastIndex = start;
  const closed = ending.test(scan.text);
  const newline = closed ? scan.text.indexOf('\n', ending.lastIndex) : -1;
  const end = newline === -1 ? scan.text.length : newline + 1;
  scan.ranges.push({ start, end, kind: 'html', closed });
  return end;
}

function afterQuotes(line: string, most: number): { quotes: number; rest: string } {
  let [quotes, rest] = [0, line];
  while (quotes < most) {
    const mark = /^ {0,3}> ?/.exec(rest);
    if (!mark) break;
    quotes += 1;
    rest = rest.slice(mark[0].length);
  }
  return { quotes, rest };
}

/** Takes the markers of list items off a line, and knows the open items from then on. */
function afterListMarkers(scan: Scan, line: string, start: number): { rest: string; column: number } {
  let rest = line;
  let column = 0;
  for (;;) {
    const indent = indentOf(rest, column);
    const text = rest.trimStart();
    const marker = LIST_MARKER.exec(text);
    if (marker || scan.afterBlank) leaveLists(scan, indent);
    if (!marker || indent - (scan.lists.at(-1) ?? 0) >= 4) return { rest: text, column: indent };
    endBlock(scan, start);
    rest = text.slice(marker[0].length);
    column = indent + marker[0].length;
    const content = indentOf(rest, column);
    const isWide = content - column > 4 || rest.trim() === '';
    scan.lists.push(isWide ? column + 1 : content);
  }
}

function leaveLists(scan: Scan, indent: number): void {
  while ((scan.lists.at(-1) ?? 0) > indent) scan.lists.pop();
}

function indentOf(line: string, from = 0): number {
  let column = from;
  for (const character of line) {
    if (character === ' ') column += 1;
    else if (character === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}

function endBlock(scan: Scan, end: number): void {
  if (scan.block !== -1) findSpans(scan, scan.block, end);
  scan.block = -1;
}

function findSpans(scan: Scan, start: number, end: number): void {
  const piece = scan.text.slice(start, end);
  const nextClosing = closings(piece);
  const opener = /\\[\s\S]|`+|<!--|<(?:code|pre)(?=[\s>])/gi;
  for (let match = opener.exec(piece); match; match = opener.exec(piece)) {
    const [mark] = match;
    if (mark.startsWith('\\')) continue;
    const closing = nextClosing(mark.toLowerCase(), opener.lastIndex);
    if (closing === null) continue;
    opener.lastIndex = closing;
    const kind = mark.startsWith('`') ? 'span' : 'html';
    scan.ranges.push({ start: start + match.index, end: start + closing, kind, closed: true });
  }
}

/** Finds the end of a code span. Callers ask for ever later places, so no text is searched twice for the same mark. */
function closings(piece: string): (mark: string, from: number) => number | null {
  const known = new Map<string, number | null>();
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of piece.matchAll(/`+/g)) {
    const ends = runs.get(run.length) ?? [];
    ends.push(index + run.length);
    runs.set(run.length, ends);
  }
  for (const ends of runs.values()) ends.reverse();
  return (mark, from) => {
    if (mark.startsWith('`')) {
      const ends = runs.get(mark.length) ?? [];
      while (ends.length > 0 && ends.at(-1)! <= from) ends.pop();
      return ends.at(-1) ?? null;
    }
    const last = known.get(mark);
    if (last === null || (last !== undefined && last > from)) return last;
    const pattern = closingPattern(mark);
    pattern.lastIndex = from;
    const found = pattern.test(piece) ? pattern.lastIndex : null;
    known.set(mark, found);
    return found;
  };
}

function closingPattern(mark: string): RegExp {
  return mark === '<!--' ? /-->/g : new RegExp(`</${mark.slice(1)}>`, 'gi');
}
