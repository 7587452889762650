import { isAscii, isUtf8, transcode } from 'node:buffer';

const REPLACEMENT = '\uFFFD';
const SAMPLE_BYTES = 65_536;

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function decodeUnicode(bytes: Uint8Array, encoding: string, bomLength: number): DecodedText {
  if (encoding === 'utf-8') {
    const body = asBuffer(bytes).subarray(bomLength);
    if (!isUtf8(body)) return decodeMalformedUtf8(bytes, bomLength);
    return body.length < SAMPLE_BYTES
      ? { text: validUtf8(body), encoding, bomLength, exact: true, odd: [] }
      : laterDecoded(body, bomLength);
  }
  return encoding.startsWith('utf-16')
    ? decodeUtf16(bytes, encoding, bomLength)
    : decodeUtf32(bytes, encoding, bomLength);
}

/** Decodes on demand: an exact edit of a large file does not need all of its text. */
function laterDecoded(body: Buffer, bomLength: number): DecodedText {
  let text: string | undefined;
  return {
    get text() {
      return (text ??= validUtf8(body));
    },
    encoding: 'utf-8',
    bomLength,
    exact: true,
    odd: [],
  };
}

/** Much faster than decoding UTF-8 directly: ASCII as Latin-1, large texts by way of UTF-16. */
function validUtf8(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  const direct = body.length < SAMPLE_BYTES || typeof transcode !== 'function';
  return direct ? body.toString('utf8') : transcode(body, 'utf8', 'utf16le').toString('utf16le');
}

/** Encodes in a Unicode encoding; null for any other. */
export function encodeUnicode(text: string, encoding: string): Uint8Array | null {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  if (!encoding.startsWith('utf-32')) return null;
  const points = Array.from(text, (character) => character.codePointAt(0)!);
  const result = Buffer.alloc(points.length * 4);
  for (const [index, point] of points.entries()) {
    if (encoding === 'utf-32le') result.writeUInt32LE(point, index * 4);
    else result.writeUInt32BE(point, index * 4);
  }
  return result;
}

function decodeUtf16(bytes: Uint8Array, encoding: string, bomLength: number): DecodedText {
  const whole = bytes.length - ((bytes.length - bomLength) % 2);
  const body = Buffer.from(bytes.subarray(bomLength, whole));
  if (encoding === 'utf-16be') body.swap16();
  const raw = body.toString('utf16le');
  const odd: OddUnit[] = [];
  const text = raw.replace(/\p{Surrogate}/gu, (_lone, offset: number) => {
    odd.push(malformedUnit(offset, bomLength + offset * 2, 2));
    return REPLACEMENT;
  });
  if (whole < bytes.length) odd.push(malformedUnit(text.length, whole, 1));
  return {
    text: whole < bytes.length ? text + REPLACEMENT : text,
    encoding,
    bomLength,
    exact: odd.length === 0,
    odd,
  };
}

function malformedUnit(textOffset: number, byteOffset: number, byteLength: number): OddUnit {
  return { textOffset, textLength: 1, byteOffset, byteLength, malformed: true };
}

function decodeUtf32(bytes: Uint8Array, encoding: string, bomLength: number): DecodedText {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const odd: OddUnit[] = [];
  const characters: string[] = [];
  let textOffset = 0;
  for (let offset = bomLength; offset < bytes.length; offset += 4) {
    const size = Math.min(4, bytes.length - offset);
    const point = size === 4 ? view.getUint32(offset, encoding === 'utf-32le') : -1;
    const valid = isScalar(point);
    if (!valid) odd.push(malformedUnit(textOffset, offset, size));
    const character = valid ? String.fromCodePoint(point) : REPLACEMENT;
    characters.push(character);
    textOffset += character.length;
  }
  return { text: characters.join(''), encoding, bomLength, exact: odd.length === 0, odd };
}

function isScalar(point: number): boolean {
  return point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
}

export function decodeMalformedUtf8(bytes: Uint8Array, bomLength: number): DecodedText {
  const buffer = asBuffer(bytes);
  const odd: OddUnit[] = [];
  let text = '';
  let copied = bomLength;
  for (const offset of surveyUtf8(bytes, bomLength).malformed) {
    text += buffer.toString('utf8', copied, offset);
    odd.push(malformedUnit(text.length, offset, 1));
    text += REPLACEMENT;
    copied = offset + 1;
  }
  text += buffer.toString('utf8', copied);
  return { text, encoding: 'utf-8', bomLength, exact: odd.length === 0, odd };
}

export function surveyUtf8(
  bytes: Uint8Array,
  start: number,
): { wideCharacters: number; malformed: number[] } {
  const malformed: number[] = [];
  let wideCharacters = 0;
  for (let offset = start; offset < bytes.length; ) {
    const length = bytes[offset]! < 0x80 ? 1 : utf8Length(bytes, offset);
    if (length === 0) malformed.push(offset);
    if (length > 1) wideCharacters++;
    offset += length || 1;
  }
  return { wideCharacters, malformed };
}

/** Length of the well-formed sequence at the offset (not ASCII), 0 when there is none. */
function utf8Length(bytes: Uint8Array, offset: number): number {
  const lead = bytes[offset]!;
  const second = bytes[offset + 1] ?? 0;
  if (lead < 0xc2 || lead > 0xf4 || !isContinuation(second)) return 0;
  if (lead < 0xe0) return 2;
  if (!isContinuation(bytes[offset + 2] ?? 0)) return 0;
  if (lead < 0xf0) {
    const overlong = lead === 0xe0 && second < 0xa0;
    const surrogate = lead === 0xed && second > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  const inRange = lead === 0xf0 ? second > 0x8f : lead < 0xf4 || second < 0x90;
  return inRange && isContinuation(bytes[offset + 3] ?? 0) ? 4 : 0;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** UTF-16 or UTF-32 without a byte order mark, if the bytes read that way are plainly text. */
export function wideEncoding(bytes: Uint8Array): string | null {
  const candidates = ['utf-32le', 'utf-32be', 'utf-16le', 'utf-16be'].filter(
    (encoding) => bytes.length % (encoding.startsWith('utf-32') ? 4 : 2) === 0,
  );
  let best: { encoding: string; score: number } | null = null;
  for (const encoding of candidates) {
    const sample = bytes.subarray(0, SAMPLE_BYTES);
    if (encoding.startsWith('utf-16') && isUtf8(sample) && !nulsAlternate(sample, encoding)) continue;
    const score = plausibility(decodeUnicode(sample, encoding, 0));
    if (score > (best?.score ?? 0)) best = { encoding, score };
  }
  return best?.encoding ?? null;
}

/** ASCII in UTF-16 has its NULs at even or at odd offsets only; NULs at both are separators or padding. */
function nulsAlternate(bytes: Uint8Array, encoding: string): boolean {
  const counts = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) counts[index % 2]!++;
  const [even, odd] = counts as [number, number];
  return encoding === 'utf-16le' ? even * 10 <= odd : odd * 10 <= even;
}

/** Share of ASCII in a text of letters, marks, digits, punctuation and blanks; 0 for a text with anything else. */
function plausibility(decoded: DecodedText): number {
  const { text } = decoded;
  // The sample may end inside a character.
  if (text.length === 0 || decoded.odd.length > 1) return 0;
  const strange =
    text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t\n\r\f\uFEFF\uFFFD\u200B-\u200F]/gu)?.length ?? 0;
  const ascii = text.match(/[\t\n\r -~]/g)?.length ?? 0;
  return strange * 100 <= text.length && ascii > 0 ? ascii / text.length : 0;
}

/**
 * A file as text. Bytes that encoding the text would not give back are listed one by one, so that an edit elsewhere in
 * the file preserves them.
 */
export interface DecodedText {
  /** Text without a byte order mark. Malformed bytes appear as U+FFFD. Always well-formed UTF-16. */
  text: string;
  /** Lower-case name: utf-8, utf-16le, utf-32be, gbk, shift_jis, windows-1252 … */
  encoding: string;
  /** Length of the byte order mark in bytes; 0 without one. */
  bomLength: number;
  /** True when encoding the text gives exactly the same bytes. */
  exact: boolean;
  /** The places where encoding gives other bytes, in order. */
  odd: readonly OddUnit[];
}

/**
 * A piece of a file that encoding its text would not give back: malformed bytes, or a second spelling of a character.
 */
export interface OddUnit {
  textOffset: number;
  textLength: number;
  byteOffset: number;
  byteLength: number;
  malformed: boolean;
}
