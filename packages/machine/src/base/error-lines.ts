/** The range of a line, its line break included. */
export interface LinePlace {
  start: number;
  end: number;
}

const ERROR_LINE =
  /(?:\b(?:errors?|fatal|panic(?:ked)?|exception|traceback|failed|failures?|undefined reference|cannot find|not found|denied|segmentation fault|segfault|aborted|killed)\b|[A-Za-z]Error\b|^\s*(?:FAIL|not ok)|[✗✘×] )/i;
/** A line of a failure as pytest marks it. */
const MARKED_LINE = /^\s*E {2,}/;
const HARMLESS_COUNT = /\b(?:0|no) (?:errors?|failed|failures?)\b/gi;
/** Characters at the start of a line that are examined. */
const EXAMINED_CHARACTERS = 2000;

export function looksLikeError(line: string): boolean {
  const examined = line.slice(0, EXAMINED_CHARACTERS);
  if (ERROR_LINE.test(examined)) return ERROR_LINE.test(examined.replace(HARMLESS_COUNT, ''));
  return MARKED_LINE.test(examined);
}

/** Even, and longer than what is examined of a line. */
const BLOCK_CHARACTERS = 16 * 1024;
/** Pairs of bytes that are looked at together: one test for all takes half the time of one for each. */
const TOGETHER = 4;
/** Memory for one block, made once: to make it anew for each would take longer than the search. */
const block = Buffer.alloc(BLOCK_CHARACTERS + 2 + 2 * TOGETHER);
const pairs = pairsOf(block);

/** The first whole lines that look like errors. Signs are searched for first: to examine every line of megabytes takes longer. */
export function errorLines(text: string, most: number): LinePlace[] {
  const found: LinePlace[] = [];
  for (let from = 0, to = 0; found.length < most; from = to) {
    const border = text.lastIndexOf('\n', from + BLOCK_CHARACTERS - 1) + 1;
    to = border > from ? border : text.indexOf('\n', from) + 1;
    if (to === 0) break;
    const part = text.slice(from, Math.min(to, from + BLOCK_CHARACTERS));
    const everywhere = OTHER_SIGNS.some((sign) => part.includes(sign));
    // Latin-1 keeps the lower byte of each character: it may look like a sign by accident, but hides none.
    block.fill(0, block.write(part, 'latin1'));
    for (let end = 0; end < part.length; ) {
      const sign = everywhere ? end : nextFragment(end);
      if (sign === -1) break;
      const start = part.lastIndexOf('\n', sign - 1) + 1;
      end = part.indexOf('\n', sign) + 1 || to - from;
      if (looksLikeError(part.slice(start, end))) found.push({ start: from + start, end: from + end });
    }
  }
  return found.slice(0, most);
}

/** Every word of `ERROR_LINE` holds one of these, in small letters or capitals. */
const FRAGMENTS = 'rro tal nic ept eba fai efe not nie egm egf abo kil'.split(' ');
/** A block that holds one of these is examined line by line. */
const OTHER_SIGNS = ['E  ', '✗ ', '✘ ', '× '];

/** Two bytes in a row that are the first or the second half of a fragment. */
const halves = new Uint8Array(1 << 16);
const fragments = new Uint8Array(1 << 15);

for (const [first, second, third] of FRAGMENTS.map((fragment) => [...Buffer.from(fragment)])) {
  const [left, middle, right] = [first!, second!, third!];
  fragments[threeLetters(Uint8Array.of(left, middle, right), 0)] = 1;
  for (const pair of [...spellings(left, middle), ...spellings(middle, right)]) halves[pairsOf(pair)[0]!] = 1;
}

/** The place of the first fragment at or after a place, or -1. Wherever it begins, one of its halves is an even pair. */
function nextFragment(from: number): number {
  // Bundled, a constant of the module is looked up at every use.
  const [looked, isHalf] = [pairs, halves];
  const end = looked.length - TOGETHER;
  for (let index = from >> 1; index < end; index += TOGETHER) {
    const some =
      isHalf[looked[index]!]! |
      isHalf[looked[index + 1]!]! |
      isHalf[looked[index + 2]!]! |
      isHalf[looked[index + 3]!]!;
    if (some === 0) continue;
    const place = fragmentAmong(index);
    if (place !== -1) return place;
  }
  return -1;
}

/** The place of the first fragment with a half among the pairs at a place, or -1. */
function fragmentAmong(first: number): number {
  for (let at = 2 * first; at < 2 * (first + TOGETHER); at += 2) {
    if (halves[pairs[at >> 1]!] === 0) continue;
    if (at > 0 && fragments[threeLetters(block, at - 1)] === 1) return at - 1;
    if (fragments[threeLetters(block, at)] === 1) return at;
  }
  return -1;
}

function pairsOf(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, 0, bytes.length >> 1);
}

/** The same number for small letters and capitals. */
function threeLetters(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! & 31) << 10) | ((bytes[at + 1]! & 31) << 5) | (bytes[at + 2]! & 31);
}

function spellings(left: number, right: number): Uint8Array[] {
  const [leftCapital, rightCapital] = [left & ~32, right & ~32];
  return [
    Uint8Array.of(left, right),
    Uint8Array.of(left, rightCapital),
    Uint8Array.of(leftCapital, right),
    Uint8Array.of(leftCapital, rightCapital),
  ];
}
