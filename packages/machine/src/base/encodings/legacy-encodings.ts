import { ToolError } from '../errors.js';
import type { OddUnit } from './unicode.js';

/** Encodings older than Unicode. All of them are stateless: a character's bytes do not depend on its neighbours. */

export interface LegacyText {
  text: string;
  encoding: string;
  odd: OddUnit[];
}

type Iconv = typeof import('iconv-lite');

const REPLACEMENT = '\uFFFD';

/** Length of the unit at the offset, by its lead byte. A unit without a mapping is malformed. */
type UnitLength = (bytes: Uint8Array, offset: number) => number;

const single: UnitLength = () => 1;
const pairFrom81: UnitLength = (bytes, offset) => (bytes[offset]! > 0x80 && bytes[offset]! < 0xff ? 2 : 1);

const multiByteFamilies: Record<string, UnitLength> = {
  gbk: pairFrom81,
  gb18030: (bytes, offset) => {
    const second = bytes[offset + 1] ?? 0;
    if (pairFrom81(bytes, offset) === 1) return 1;
    return second >= 0x30 && second <= 0x39 ? 4 : 2;
  },
  shift_jis: (bytes, offset) => {
    const lead = bytes[offset]!;
    return (lead > 0x80 && lead < 0xa0) || (lead > 0xdf && lead < 0xfd) ? 2 : 1;
  },
  'euc-jp': (bytes, offset) => {
    const lead = bytes[offset]!;
    if (lead === 0x8f) return 3;
    return lead === 0x8e || (lead > 0xa0 && lead < 0xff) ? 2 : 1;
  },
  'euc-kr': pairFrom81,
  big5: pairFrom81,
};

const otherNames: Record<string, string> = {
  gb2312: 'gbk',
  cp936: 'gbk',
  'shift-jis': 'shift_jis',
  sjis: 'shift_jis',
  cp932: 'shift_jis',
  'windows-31j': 'shift_jis',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  cp949: 'euc-kr',
  cp950: 'big5',
  latin1: 'iso-8859-1',
};

let iconvModule: Iconv | undefined;

async function loadIconv(): Promise<Iconv> {
  if (!iconvModule) {
    const loaded = await import('iconv-lite');
    iconvModule = (loaded as { default?: Iconv }).default ?? loaded;
  }
  return iconvModule;
}

function iconvLoaded(): Iconv {
  if (!iconvModule) throw new Error('The codec tables are not loaded.');
  return iconvModule;
}

/** The canonical name of a legacy encoding; refuses an unknown one. */
async function legacyName(name: string): Promise<string> {
  const lower = name.trim().toLowerCase();
  const canonical = otherNames[lower] ?? lower;
  if (Object.hasOwn(multiByteFamilies, canonical)) return canonical;
  const iconv = await loadIconv();
  if (iconv.encodingExists(canonical) && isSingleByte(iconv, canonical)) return canonical;
  throw new ToolError(
    'invalid_params',
    `The text encoding "${name}" is not known. Known ones: ${Object.keys(multiByteFamilies).join(', ')}, iso-8859-1 to -16, windows-1250 to -1258, koi8-r, cp437, cp866, macintosh.`,
  );
}

function isSingleByte(iconv: Iconv, name: string): boolean {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  return iconv.decode(everyByte, name).length === 256 && iconv.encode('aa', name).length === 2;
}

export async function decodeLegacy(bytes: Uint8Array, name: string): Promise<LegacyText> {
  const encoding = await legacyName(name);
  const iconv = await loadIconv();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = iconv.decode(buffer, encoding);
  if (buffer.equals(iconv.encode(text, encoding))) {
    return { text, encoding, odd: [] };
  }
  return decodeByUnits(buffer, encoding);
}

function decodeByUnits(buffer: Buffer, encoding: string): LegacyText {
  const pieces: string[] = [];
  const odd: OddUnit[] = [];
  let textOffset = 0;
  for (const unit of unitsOf(buffer, encoding)) {
    if (unit.odd) {
      odd.push({
        textOffset,
        textLength: unit.text.length,
        byteOffset: unit.offset,
        byteLength: unit.length,
        malformed: unit.text === REPLACEMENT,
      });
    }
    pieces.push(unit.text);
    textOffset += unit.text.length;
  }
  return { text: pieces.join(''), encoding, odd };
}

export interface LegacyUnit {
  offset: number;
  length: number;
  text: string;
  odd: boolean;
}

/** Cuts a file into characters; a run of ASCII is one unit. `loadIconv` must have been awaited. */
function* unitsOf(buffer: Buffer, encoding: string): Generator<LegacyUnit> {
  const lengthAt = multiByteFamilies[encoding] ?? single;
  const known = new Map<number, { text: string; odd: boolean }>();
  for (let offset = 0; offset < buffer.length; ) {
    const asciiEnd = endOfAscii(buffer, offset);
    if (asciiEnd > offset) {
      yield {
        offset,
        length: asciiEnd - offset,
        text: buffer.toString('latin1', offset, asciiEnd),
        odd: false,
      };
      offset = asciiEnd;
      continue;
    }
    let length = Math.min(lengthAt(buffer, offset), buffer.length - offset);
    let found = lookUp(buffer.subarray(offset, offset + length), encoding, known);
    if (found.text === REPLACEMENT && length > 1) {
      // A lead byte before something it can't lead is malformed alone.
      length = buffer[offset + 1]! < 0x80 ? 1 : 2;
      found = { text: REPLACEMENT, odd: true };
    }
    yield { offset, length, ...found };
    offset += length;
  }
}

function endOfAscii(buffer: Buffer, start: number): number {
  let end = start;
  while (end < buffer.length && buffer[end]! < 0x80) end++;
  return end;
}

function lookUp(
  unit: Buffer,
  encoding: string,
  known: Map<number, { text: string; odd: boolean }>,
): { text: string; odd: boolean } {
  const key = unit.readUIntBE(0, unit.length) * 8 + unit.length;
  let found = known.get(key);
  if (!found) {
    const iconv = iconvLoaded();
    const decoded = iconv.decode(unit, encoding);
    const faithful = unit.equals(iconv.encode(decoded, encoding));
    const text = decoded === '' || (!faithful && decoded.includes(REPLACEMENT)) ? REPLACEMENT : decoded;
    found = { text, odd: !faithful };
    known.set(key, found);
  }
  return found;
}

/** Length of the text in bytes. A text of this encoding must have been decoded before. */
export function legacyLength(text: string, encoding: string): number {
  return Object.hasOwn(multiByteFamilies, encoding)
    ? iconvLoaded().encode(text, encoding).length
    : text.length;
}

export async function encodeLegacy(text: string, name: string): Promise<Uint8Array> {
  const encoding = await legacyName(name);
  const iconv = await loadIconv();
  const encoded = iconv.encode(text, encoding);
  if (iconv.decode(encoded, encoding) === text) return encoded;
  const refused = [...text].find((character) => {
    return iconv.decode(iconv.encode(character, encoding), encoding) !== character;
  });
  const code = (refused ?? '').codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  throw new ToolError(
    'invalid_params',
    `The file is encoded in ${encoding}, which has no "${refused}" (U+${code}). Nothing was changed. Write the text without that character, or convert the file to UTF-8 first.`,
  );
}

/** The units of a sample, for judging which encoding it is in. */
export async function sampleUnits(sample: Buffer, encoding: string): Promise<LegacyUnit[]> {
  await loadIconv();
  return [...unitsOf(sample, encoding)];
}
