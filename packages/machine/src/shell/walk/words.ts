import type { ParsedScript, Word, WordPart } from 'unbash';
import { doubt, readPath } from '../findings.js';
import { quote, type ShellWord, Unreadable } from '../shell-word.js';
import { expansionPiece, listInner, type Piece, substitution } from './expansions.js';
import type { Scope } from './scope.js';

const MOST_ALTERNATIVES = 64;

/** Reads one word of the source as the words it may become. */
export function readWord(word: Word, scope: Scope): ShellWord[] {
  const alternatives = spell(word, scope);
  // `{,a}` alone gives one word: nothing without quotes is no word.
  const words = alternatives.filter((pieces) => pieces.length > 0 || alternatives.length === 1).map(join);
  for (const found of words) {
    if (found.kind === 'glob') {
      readPath(scope.findings, found, { who: 'a wildcard', directories: scope.directories });
    }
  }
  return words;
}

/** Reads a word that stays one word: in an assignment, a redirection, a condition. */
export function readSingle(word: Word, scope: Scope): ShellWord {
  const [only, second] = readWord(word, scope);
  if (only === undefined || second !== undefined) {
    doubt(scope.findings, `${word.text} is not simple enough to be sure about`);
  }
  return only ?? join([]);
}

function spell(word: Word, scope: Scope): Piece[][] {
  const tilde = tildePieces(word, scope);
  if (tilde) return [tilde];
  if (word.parts === undefined) {
    checkLiteral(word.text, false);
    return [[literalPiece(word.value)]];
  }
  let alternatives: Piece[][] = [[]];
  for (const part of word.parts) {
    const choices = partChoices(part, scope);
    const [only] = choices;
    if (only !== undefined && choices.length === 1) {
      for (const pieces of alternatives) pieces.push(...only);
      continue;
    }
    alternatives = alternatives.flatMap((before) => choices.map((choice) => [...before, ...choice]));
    if (alternatives.length > MOST_ALTERNATIVES) {
      doubt(scope.findings, `${word.text} turns into too many words`);
      return [[{ ...unknownPiece }]];
    }
  }
  return alternatives;
}

/** The parser is lenient: what would begin an expansion or end a word in bash must not pass as plain text. */
function checkLiteral(text: string, quoted: boolean): undefined {
  const unescaped = text.replace(/\\[\s\S]/g, '');
  const lenient = quoted ? /\$[[({]|`/ : /\$[[({'"]|[()<>|&;`'"]/;
  if (lenient.test(unescaped)) throw new Unreadable('the command line could not be read');
}

const unknownPiece: Piece = { kind: 'dynamic', text: '', values: [], loose: true, canonical: '' };

function literalPiece(text: string): Piece {
  return { kind: 'literal', text, values: [text], loose: false, canonical: quote(text) };
}

/** `~` and `~/…` are home; other uses of an unquoted tilde are left to the user. */
function tildePieces(word: Word, scope: Scope): Piece[] | undefined {
  const isPlain = word.parts === undefined;
  if (isPlain && /^~(\/|$)/.test(word.text)) {
    return [literalPiece(scope.findings.context.home + word.value.slice(1))];
  }
  const unquoted = isPlain
    ? word.text
    : word.parts.map((part) => (part.type === 'Literal' ? part.text : '""')).join('');
  if (!/^~|[=:]~/.test(unquoted)) return undefined;
  listInner(word, scope);
  doubt(scope.findings, `${word.text} may mean somebody's home directory`);
  return [{ ...unknownPiece }];
}

/** Alternatives of a part, each as pieces in a row; only braces have more than one. */
function partChoices(part: WordPart, scope: Scope): Piece[][] {
  switch (part.type) {
    case 'Literal':
      checkLiteral(part.text, false);
      return [[literalPiece(part.value)]];
    case 'SingleQuoted':
      return [[literalPiece(part.value)]];
    case 'AnsiCQuoted':
      if (/[\p{Cc}\p{Cf}]/u.test(part.value.replace(/[\n\t]/g, ''))) {
        doubt(scope.findings, `${part.text} contains control characters`);
      }
      return [[literalPiece(part.value)]];
    case 'DoubleQuoted':
      return [part.parts.map((child) => quotedPiece(child, scope))];
    case 'Glob':
      if (part.kind !== 'bracket' || /^\[[!^]?[\w.-]+\]$/.test(part.text)) {
        return [[{ kind: 'glob', text: part.text, values: [], loose: true, canonical: part.text }]];
      }
      return [[refusedPiece(part, scope)]];
    case 'BraceExpansion': {
      const texts = braceAlternatives(part.text);
      return texts ? texts.map((text) => globOrLiteral(text)) : [[refusedPiece(part, scope)]];
    }
    case 'ExtendedGlob':
    case 'LocaleString':
      return [[refusedPiece(part, scope)]];
    case 'ProcessSubstitution':
      return [[part.operator === '<' ? outputPiece(part.script, scope) : refusedPiece(part, scope)]];
    default:
      return [[expansionPiece(part, scope, false)]];
  }
}

function quotedPiece(part: WordPart, scope: Scope): Piece {
  if (part.type === 'Literal') {
    checkLiteral(part.text, true);
    return literalPiece(part.value);
  }
  const piece = expansionPiece(part, scope, true);
  return { ...piece, canonical: `"${piece.canonical}"` };
}

/** `<(…)` becomes the name of a pipe, which is read like standard input. */
function outputPiece(script: ParsedScript | undefined, scope: Scope): Piece {
  const { text } = substitution(script, scope);
  return { kind: 'values', text: '', values: ['/dev/stdin'], loose: false, canonical: `<( ${text} )` };
}

function refusedPiece(part: WordPart, scope: Scope): Piece {
  listInner(part, scope);
  doubt(scope.findings, `${part.text} is not simple enough to be sure about`);
  return { ...unknownPiece };
}

function globOrLiteral(text: string): Piece[] {
  return text
    .split(/([*?])/)
    .filter((run) => run !== '')
    .map((run) =>
      run === '*' || run === '?'
        ? { kind: 'glob', text: run, values: [], loose: true, canonical: run }
        : literalPiece(run),
    );
}

function join(pieces: readonly Piece[]): ShellWord {
  const known = pieces.findIndex((piece) => piece.kind !== 'literal');
  const prefix = (known === -1 ? pieces : pieces.slice(0, known)).map((piece) => piece.text).join('');
  const canonical = writeAgain(pieces);
  const loose = pieces.some((piece) => piece.loose);
  const has = (kind: Piece['kind']): boolean => pieces.some((piece) => piece.kind === kind);
  const text = pieces.map((piece) => piece.text).join('');
  const values = has('glob') || has('dynamic') ? [] : combine(pieces);
  const base = { prefix, canonical, loose };
  if (has('dynamic') || (has('glob') && has('values')) || values.length > MOST_ALTERNATIVES) {
    return { ...base, kind: 'dynamic', text: '', values: [] };
  }
  if (has('glob')) return { ...base, kind: 'glob', text, values: [] };
  if (has('values')) return { ...base, kind: 'values', text: '', values };
  return { ...base, kind: 'literal', text, values: [text] };
}

/** Literal text is quoted as one run. */
function writeAgain(pieces: readonly Piece[]): string {
  let written = '';
  let literal = '';
  for (const piece of pieces) {
    if (piece.kind === 'literal') literal += piece.text;
    else {
      written += (literal === '' ? '' : quote(literal)) + piece.canonical;
      literal = '';
    }
  }
  return literal !== '' || written === '' ? written + quote(literal) : written;
}

function combine(pieces: readonly Piece[]): string[] {
  let values = [''];
  for (const piece of pieces) {
    values = values.flatMap((before) => piece.values.map((value) => before + value));
    if (values.length > MOST_ALTERNATIVES) return values;
  }
  return values;
}

const MOST = 64;

/** The words of `{a,b}` and `{1..3}` with nothing nested or quoted inside; null for all others. */
function braceAlternatives(text: string): string[] | null {
  const range = /^\{(-?\d{1,4})\.\.(-?\d{1,4})\}$/.exec(text);
  if (range) return countFromTo(range[1]!, range[2]!);
  const inner = /^\{([\w.*?/:@%+,-]*)\}$/.exec(text)?.[1];
  if (inner === undefined || !inner.includes(',')) return null;
  const parts = inner.split(',');
  return parts.length > MOST ? null : parts;
}

function countFromTo(first: string, last: string): string[] | null {
  // Leading zeros would pad every number.
  if (/^-?0\d/.test(first) || /^-?0\d/.test(last)) return null;
  const [from, to] = [Number(first), Number(last)];
  const count = Math.abs(to - from) + 1;
  if (count > MOST) return null;
  return Array.from({ length: count }, (_, index) => String(from + (to < from ? -index : index)));
}
