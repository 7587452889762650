import { isUtf8 } from 'node:buffer';
import {
  type DecodedText,
  decodeMalformedUtf8,
  decodeUnicode,
  encodeUnicode,
  surveyUtf8,
  wideEncoding,
} from './encodings/unicode.js';
import { ToolError } from './errors.js';

export type { DecodedText } from './encodings/unicode.js';

export interface TextRange {
  start: number;
  end: number;
}

/** Replaces `text.slice(start, end)`. */
export interface TextEdit extends TextRange {
  text: string;
}

export interface DecodeOptions {
  /** Encoding to use in place of detection for bytes that are neither marked nor UTF-8. */
  legacy?: string;
}

const REPLACEMENT = '\uFFFD';
const SAMPLE_BYTES = 65_536;
const MANY_EDITS = 1_000;
const NEAR = 256;

const byteOrderMarks = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-32le', bytes: [0xff, 0xfe, 0, 0] },
  { encoding: 'utf-32be', bytes: [0, 0, 0xfe, 0xff] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** The text of a file; null when the bytes are not text. */
export async function decodeText(
  bytes: Uint8Array,
  options: DecodeOptions = {},
): Promise<DecodedText | null> {
  const mark = byteOrderMarks.find((candidate) =>
    candidate.bytes.every((byte, index) => bytes[index] === byte),
  );
  if (mark) {
    const decoded = decodeUnicode(bytes, mark.encoding, mark.bytes.length);
    // Audio and image data may begin like a byte order mark.
    return decoded.odd.length > 0 && decoded.odd.length * 10 > decoded.text.length ? null : decoded;
  }
  const hasNul = bytes.indexOf(0) !== -1;
  if (!hasNul && isUtf8(bytes)) return decodeUnicode(bytes, 'utf-8', 0);
  if (hasNul) {
    const wide = wideEncoding(bytes);
    if (wide) return decodeUnicode(bytes, wide, 0);
    return isUtf8(bytes) && oddControls(bytes) <= 0.002 ? decodeUnicode(bytes, 'utf-8', 0) : null;
  }
  return decodeUnmarked(bytes, options);
}

async function decodeUnmarked(bytes: Uint8Array, options: DecodeOptions): Promise<DecodedText | null> {
  if (oddControls(bytes) > 0.02) return null;
  if (options.legacy !== undefined) return decodeAs(bytes, options.legacy);
  const asUtf8 = surveyUtf8(bytes, 0);
  // A stray byte does not make a UTF-8 file a Latin-1 file.
  if (asUtf8.wideCharacters >= asUtf8.malformed.length * 4) return decodeMalformedUtf8(bytes, 0);
  const { guessEncoding } = await import('./encodings/legacy-detection.js');
  return decodeAs(bytes, await guessEncoding(bytes));
}

async function decodeAs(bytes: Uint8Array, encoding: string): Promise<DecodedText> {
  const { decodeLegacy } = await import('./encodings/legacy-encodings.js');
  const decoded = await decodeLegacy(bytes, encoding);
  return { ...decoded, bomLength: 0, exact: decoded.odd.length === 0 };
}

/** Encodes text with its byte order mark. Characters the encoding can't express are refused, never replaced. */
export async function encodeText(
  text: string,
  format: { encoding: string; bomLength: number } = { encoding: 'utf-8', bomLength: 0 },
): Promise<Uint8Array> {
  const body = await encodeFragment(text, format.encoding);
  const mark = byteOrderMarks.find((candidate) => candidate.encoding === format.encoding);
  return format.bomLength > 0 && mark ? Buffer.concat([Uint8Array.from(mark.bytes), body]) : body;
}

async function encodeFragment(text: string, encoding: string): Promise<Uint8Array> {
  refuseLoneSurrogates(text);
  const encoded = encodeUnicode(text, encoding);
  if (encoded) return encoded;
  const { encodeLegacy } = await import('./encodings/legacy-encodings.js');
  return encodeLegacy(text, encoding);
}

function refuseLoneSurrogates(text: string): void {
  if (Buffer.byteLength(text) === text.length) return;
  const lone = /\p{Surrogate}/u.exec(text);
  if (!lone) return;
  const code = lone[0].charCodeAt(0).toString(16).toUpperCase();
  throw new ToolError(
    'invalid_params',
    `The text contains half a character (lone surrogate U+${code} at offset ${lone.index}), which no file can hold. Send the whole character.`,
  );
}

/**
 * The bytes after the edits. Only edited ranges are encoded; every byte outside them is copied. Edits must be in order
 * and must not overlap.
 */
export async function spliceText(
  bytes: Uint8Array,
  decoded: DecodedText,
  edits: readonly TextEdit[],
): Promise<Uint8Array> {
  const joined = decoded.exact && edits.length > MANY_EDITS ? joinNear(decoded.text, edits) : edits;
  const tight = joined.map((edit) => tighten(decoded.text, edit)).filter((edit) => !isEmpty(edit));
  const malformed = decoded.odd.some((unit) => unit.malformed);
  if (malformed && tight.some((edit) => edit.text.includes(REPLACEMENT))) {
    throw new ToolError(
      'invalid_params',
      `The new text contains U+FFFD (${REPLACEMENT}), which stands for bytes that are not valid ${decoded.encoding} in this file; writing it would destroy them. Edit only the text around them.`,
    );
  }
  const measure = await lengthMeasure(decoded.encoding);
  const offsets = byteOffsets(
    decoded,
    tight.flatMap((edit) => [edit.start, edit.end]),
    measure,
  );
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (const [index, edit] of tight.entries()) {
    pieces.push(
      bytes.subarray(copied, offsets[index * 2]),
      await encodeFragment(edit.text, decoded.encoding),
    );
    copied = offsets[index * 2 + 1]!;
  }
  pieces.push(bytes.subarray(copied));
  const result = Buffer.concat(pieces);
  if (!isUnicode(decoded.encoding)) await verifyLegacy(result, decoded, tight);
  return result;
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let copied = 0;
  for (const edit of edits) {
    result += text.slice(copied, edit.start) + edit.text;
    copied = edit.end;
  }
  return result + text.slice(copied);
}

/** Joins edits that lie close together: hundreds of thousands of small edits would make as many small buffers. */
function joinNear(text: string, edits: readonly TextEdit[]): TextEdit[] {
  const joined: TextEdit[] = [];
  for (const edit of edits) {
    const last = joined.at(-1);
    if (last && edit.start - last.end <= NEAR) {
      last.text += text.slice(last.end, edit.start) + edit.text;
      last.end = edit.end;
    } else joined.push({ ...edit });
  }
  return joined;
}

function isEmpty(edit: TextEdit): boolean {
  return edit.start === edit.end && edit.text === '';
}

/** Drops what the replacement and the text have in common at both ends, so that odd bytes there survive. */
function tighten(text: string, edit: TextEdit): TextEdit {
  let { start, end } = edit;
  let [from, to] = [0, edit.text.length];
  while (start < end && from < to && text[start] === edit.text[from]) {
    start++;
    from++;
  }
  while (end > start && to > from && text[end - 1] === edit.text[to - 1]) {
    end--;
    to--;
  }
  if (splitsPair(text, start) || splitsPair(edit.text, from)) {
    start--;
    from--;
  }
  if (splitsPair(text, end) || splitsPair(edit.text, to)) {
    end++;
    to++;
  }
  return { start, end, text: edit.text.slice(from, to) };
}

function splitsPair(text: string, offset: number): boolean {
  return (
    offset > 0 && /[\uD800-\uDBFF]/.test(text[offset - 1]!) && /[\uDC00-\uDFFF]/.test(text[offset] ?? '')
  );
}

type Measure = (text: string) => number;

async function lengthMeasure(encoding: string): Promise<Measure> {
  if (encoding === 'utf-8') return (text) => Buffer.byteLength(text);
  if (encoding.startsWith('utf-16')) return (text) => text.length * 2;
  if (encoding.startsWith('utf-32')) return (text) => [...text].length * 4;
  const { legacyLength } = await import('./encodings/legacy-encodings.js');
  return (text) => legacyLength(text, encoding);
}

function byteOffsets(decoded: DecodedText, targets: number[], measure: Measure): number[] {
  let textAt = 0;
  let byteAt = decoded.bomLength;
  let next = 0;
  return targets.map((target) => {
    for (let unit = decoded.odd[next]; unit && unit.textOffset < target; unit = decoded.odd[next]) {
      if (unit.textOffset + unit.textLength > target)
        throw new Error('An edit begins or ends inside a character.');
      textAt = unit.textOffset + unit.textLength;
      byteAt = unit.byteOffset + unit.byteLength;
      next++;
    }
    byteAt += measure(decoded.text.slice(textAt, target));
    textAt = target;
    return byteAt;
  });
}

async function verifyLegacy(result: Uint8Array, decoded: DecodedText, edits: TextEdit[]): Promise<void> {
  const { decodeLegacy } = await import('./encodings/legacy-encodings.js');
  const again = await decodeLegacy(result, decoded.encoding);
  if (again.text === applyEdits(decoded.text, edits)) return;
  throw new ToolError(
    'failed',
    `The change can't be written in ${decoded.encoding} without altering characters around it. Nothing was changed. Convert the file to UTF-8 first, or edit a larger piece.`,
  );
}

function isUnicode(encoding: string): boolean {
  return encoding.startsWith('utf-');
}

/** Share of control characters that text hardly ever holds: all but tab, line ends, form feed, backspace and escape. */
function oddControls(bytes: Uint8Array): number {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let count = 0;
  for (const byte of sample) {
    if (byte < 8 || byte === 11 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) count++;
  }
  return count / sample.length;
}
