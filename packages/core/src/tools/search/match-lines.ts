import { decode } from '@toolwright/machine/host/ripgrep/records.js';

export interface MatchLine {
  /** Null when ripgrep's record was too long to be read. */
  number: number | null;
  isMatch: boolean;
  /** Without the line ending, cut to size around the match. */
  text: string;
}

const MAX_LINE = 400;
const BEFORE_MATCH = 120;

/** Text that ripgrep prints as such, or as Base64 where it is not UTF-8. */
interface PrintedText {
  text?: string;
  bytes?: string;
}

interface PrintedLines {
  type: string;
  data: {
    lines: PrintedText;
    line_number: number | null;
    submatches: { start: number; end: number }[];
  };
}

/** The lines of one "match" or "context" message. A match can span several. */
export function readLines(record: string): MatchLine[] {
  const { type, data } = JSON.parse(record) as PrintedLines;
  const bytes = bytesOf(data.lines);
  const lines: MatchLine[] = [];
  let start = 0;
  for (let number = data.line_number ?? 1; start < bytes.length || lines.length === 0; number++) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    const found = data.submatches.find((each) => each.end > start && each.start <= end);
    const text = clipAround(bytes.subarray(start, end), Math.max((found?.start ?? start) - start, 0));
    lines.push({ number, isMatch: type === 'match', text });
    start = end + 1;
  }
  return lines;
}

const BEFORE_PATH = '{"type":"begin","data":{"path":{"text":"';
const BEHIND_PATH = '"}}}';

/** The file that a "begin" message is about. Nearly all can be read without parsing. */
export function pathOf(record: string): string {
  if (record.startsWith(BEFORE_PATH) && record.endsWith(BEHIND_PATH) && !record.includes('\\')) {
    // A slice would keep the whole chunk of output alive that the record is a part of.
    return Buffer.from(record.slice(BEFORE_PATH.length, -BEHIND_PATH.length)).toString();
  }
  return decode(bytesOf((JSON.parse(record) as { data: { path: PrintedText } }).data.path));
}

function bytesOf({ text, bytes }: PrintedText): Buffer {
  return text === undefined ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(text);
}

/** At most so many bytes of the line with the match among them; dots stand for what was cut. */
function clipAround(line: Buffer, match: number): string {
  if (line.length <= MAX_LINE) return withoutEnding(line.toString());
  const from = characterStart(line, Math.min(Math.max(match - BEFORE_MATCH, 0), line.length - MAX_LINE));
  const to = characterStart(line, from + MAX_LINE);
  const text = line.toString('utf8', from, to);
  return `${from > 0 ? '…' : ''}${to < line.length ? `${text}…` : withoutEnding(text)}`;
}

function withoutEnding(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** The start of the UTF-8 character that the byte belongs to. */
function characterStart(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length);
  while (start > 0 && start > at - 3 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
