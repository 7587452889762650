import type { Reporter, Verdict } from '../models/model.js';
import type { ReadArguments } from '../models/read-arguments.js';
import { literalWord } from '../shell-word.js';

/** Scripts come from -e, or else from the first operand; the rest are files. */
export function examineSed({ options, operands }: ReadArguments, report: Reporter): Verdict | undefined {
  const given = options.filter(({ name }) => name === '-e' || name === '--expression');
  const fromFile = options.some(({ name }) => name === '-f' || name === '--file');
  if (fromFile) report.unknownProgram('`sed -f` runs a script from a file');
  const inOperand = given.length === 0 && !fromFile;
  const scripts = inOperand ? operands.slice(0, 1) : given.flatMap(({ value }) => value ?? []);
  const files = inOperand ? operands.slice(1) : operands;
  const inPlace = options.some(({ name }) => name === '-i' || name === '--in-place');
  for (const file of files) {
    if (file.text !== '-') report.read(file);
    if (inPlace) report.write(file);
  }
  if (scripts.some(({ kind }) => kind !== 'literal')) {
    report.unknownProgram('`sed` runs a script known only when it runs');
    return undefined;
  }
  judgeSed(scripts.map(({ text }) => text).join('\n'), report);
  return undefined;
}

interface Position {
  text: string;
  at: number;
}

/** Follows the script command by command; whatever it can't follow may be the command that runs programs. */
function judgeSed(script: string, report: Reporter): undefined {
  const position: Position = { text: script, at: 0 };
  while (position.at < script.length) {
    if (!skip(position, /[\s;{}]*/y) || position.at >= script.length) continue;
    if (!skipAddresses(position) || !judgeStep(position, report)) {
      report.unknownProgram('`sed` has a script that is not simple enough to be sure about');
      return;
    }
  }
}

function skip(position: Position, pattern: RegExp): boolean {
  pattern.lastIndex = position.at;
  const found = pattern.exec(position.text);
  if (found) position.at += found[0].length;
  return found !== null;
}

/** `5`, `$`, `/pattern/`, `\cpatternc`, with `,`, `~` and `!`. */
function skipAddresses(position: Position): boolean {
  if (!skipAddress(position)) return false;
  if (skip(position, /[ \t]*,[ \t]*/y)) {
    const before = position.at;
    if (!skip(position, /[+~]\d+/y) && (!skipAddress(position) || position.at === before)) return false;
  }
  return skip(position, /[ \t]*(![ \t]*)?/y);
}

function skipAddress(position: Position): boolean {
  if (skip(position, /(\d+(~\d+)?|\$)/y)) return true;
  const opener = /\\?[^\s]/y;
  opener.lastIndex = position.at;
  const found = opener.exec(position.text)?.[0];
  if (found !== '/' && !(found?.startsWith('\\') && found.length === 2)) return true;
  position.at += found.length;
  return skipDelimited(position, found.at(-1)!) && skip(position, /[IM]*/y);
}

/** Up to the next delimiter. One inside of brackets is read differently by different programs: not followed. */
function skipDelimited(position: Position, delimiter: string): boolean {
  if (/[\s\\[\]{};\w]/.test(delimiter)) return false;
  while (position.at < position.text.length) {
    const char = position.text[position.at];
    if (char === '\n') return false;
    if (char === '[') {
      if (!skipBrackets(position, delimiter)) return false;
      continue;
    }
    position.at += char === '\\' ? 2 : 1;
    if (char === delimiter) return true;
  }
  return false;
}

/** Everyday brackets alone: `]` as a first member and other rarities are not followed. */
const brackets = /\[(?!\^?\])(?:\[:\w+:\]|\\[^\]\n]|[^[\]\\\n])+\]/y;

function skipBrackets(position: Position, delimiter: string): boolean {
  brackets.lastIndex = position.at;
  const found = brackets.exec(position.text)?.[0];
  if (found === undefined || found.replace(/\\./g, '').includes(delimiter)) return false;
  position.at += found.length;
  return true;
}

function judgeStep(position: Position, report: Reporter): boolean {
  const command = position.text[position.at++];
  switch (command) {
    case undefined:
      return false;
    case 's':
      return judgeSubstitute(position, report);
    case 'y':
      return skipTwo(position) && endOfStep(position);
    case '{':
    case '}':
      return true;
    case '#':
      return skip(position, /[^\n]*/y);
    case 'a':
    case 'i':
    case 'c':
      return skip(position, /(?:\\[\s\S]|[^\n\\])*/y);
    case ':':
    case 'b':
    case 't':
    case 'T':
      // Everything before a blank may be part of the name, a comment sign too.
      return skip(position, /[ \t]*[\w.-]*[ \t]*(?=[;}\n]|$)/y);
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      return skip(position, /[ \t]*\d*/y) && endOfStep(position);
    case 'r':
    case 'R':
      return withFile(position, (name) => report.read(literalWord(name)));
    case 'w':
    case 'W':
      return withFile(position, (name) => report.write(literalWord(name)));
    default:
      return /[pPdDnNgGhHxzF=]/.test(command) && endOfStep(position);
  }
}

function endOfStep(position: Position): boolean {
  return skip(position, /[ \t]*(?=[;}\n#]|$)/y);
}

function withFile(position: Position, use: (name: string) => undefined): boolean {
  const name = /[ \t]*([^\n]*)/y;
  name.lastIndex = position.at;
  const found = name.exec(position.text);
  if (!found?.[1]) return false;
  use(found[1]);
  position.at += found[0].length;
  return true;
}

function skipTwo(position: Position): boolean {
  const delimiter = position.text[position.at++];
  return (
    delimiter !== undefined && skipDelimited(position, delimiter) && skipReplacement(position, delimiter)
  );
}

/** Brackets mean nothing in a replacement. */
function skipReplacement(position: Position, delimiter: string): boolean {
  for (; position.at < position.text.length; position.at++) {
    const char = position.text[position.at];
    if (char === '\\') position.at++;
    else if (char === delimiter) {
      position.at++;
      return true;
    }
  }
  return false;
}

function judgeSubstitute(position: Position, report: Reporter): boolean {
  if (!skipTwo(position)) return false;
  if (!skip(position, /[gpiIMm\d]*/y)) return false;
  if (position.text[position.at] === 'w') {
    position.at++;
    return withFile(position, (name) => report.write(literalWord(name)));
  }
  return endOfStep(position);
}
