/** Writes text that matches a node of a pattern; whatever may be repeated is repeated `extra` times more. */
type Writer = (extra: number) => string;

interface PatternReader {
  pattern: string;
  at: number;
}

/** Thrown for what this small reader does not know: lookarounds, back references, Unicode classes. */
class UnknownPattern extends Error {}

const MOST_EXTRA = 64;
const CLASSES: Record<string, string> = { d: '0', w: 'a', s: ' ', D: 'a', W: '-', S: 'a' };
const CONTROLS: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
/** Candidates for a negated class, in order of preference. */
const OTHERS = 'a0-_ .xZ/:';

/** A text that matches the pattern and has a fitting length; null when none was found. */
export function matchingText(pattern: string, fits: (text: string) => boolean): string | null {
  try {
    const reader = { pattern, at: 0 };
    const write = readChoice(reader);
    if (reader.at < pattern.length) return null;
    const expression = new RegExp(pattern, 'u');
    for (let extra = 0; extra <= MOST_EXTRA; extra++) {
      const text = write(extra);
      if (expression.test(text) && fits(text)) return text;
    }
    return null;
  } catch {
    return null;
  }
}

/** Writes the first of the alternatives. */
function readChoice(reader: PatternReader): Writer {
  const first = readSequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    readSequence(reader);
  }
  return first;
}

function readSequence(reader: PatternReader): Writer {
  const writers: Writer[] = [];
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at]!))
    writers.push(readRepeated(reader));
  return (extra) => writers.map((write) => write(extra)).join('');
}

function readRepeated(reader: PatternReader): Writer {
  const write = readOne(reader);
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at));
  if (!found) return write;
  reader.at += found[0].length;
  const [least, most] = rangeOf(found);
  return (extra) => write(0).repeat(Math.min(least + extra, most));
}

function rangeOf([text, least, comma, most]: RegExpExecArray): [number, number] {
  if (text.startsWith('*')) return [0, Infinity];
  if (text.startsWith('+')) return [1, Infinity];
  if (text.startsWith('?')) return [0, 1];
  if (!comma) return [Number(least), Number(least)];
  return [Number(least), most ? Number(most) : Infinity];
}

function readOne(reader: PatternReader): Writer {
  const character = reader.pattern[reader.at]!;
  reader.at += 1;
  if (character === '^' || character === '$') return () => '';
  if (character === '.') return () => 'x';
  if (character === '(') return readGroup(reader);
  if (character === '[') return constant(readClass(reader));
  if (character === '\\') return constant(readEscape(reader));
  return constant(character);
}

const constant =
  (text: string): Writer =>
  () =>
    text;

function readGroup(reader: PatternReader): Writer {
  const opening = /^\?(?::|<[A-Za-z_]\w*>)/.exec(reader.pattern.slice(reader.at));
  if (opening) reader.at += opening[0].length;
  else if (reader.pattern[reader.at] === '?') throw new UnknownPattern();
  const write = readChoice(reader);
  if (reader.pattern[reader.at] !== ')') throw new UnknownPattern();
  reader.at += 1;
  return write;
}

function readEscape(reader: PatternReader): string {
  const character = reader.pattern[reader.at] ?? '';
  reader.at += 1;
  if (character === 'b') return '';
  const known = CLASSES[character] ?? CONTROLS[character];
  if (known !== undefined) return known;
  if (/[A-Za-z0-9]/.test(character)) throw new UnknownPattern();
  return character;
}

/** A class is left to the engine: the first of the likely characters that it takes is written. */
function readClass(reader: PatternReader): string {
  const start = reader.at - 1;
  while (reader.pattern[reader.at] !== ']') {
    if (reader.at >= reader.pattern.length) throw new UnknownPattern();
    reader.at += reader.pattern[reader.at] === '\\' ? 2 : 1;
  }
  reader.at += 1;
  const source = reader.pattern.slice(start, reader.at);
  const own = [...source.replace(/[[\]^\\]/g, '')];
  const expression = new RegExp(`^${source}$`, 'u');
  const found = [...OTHERS, ...own].find((candidate) => expression.test(candidate));
  if (found === undefined) throw new UnknownPattern();
  return found;
}
