import type { Node, ParseError } from 'jsonc-parser';
import { type JsonEntry, type JsonNode, type JsonPosition, readPlainJson } from './plain-json.js';

interface TextProblem {
  at: JsonPosition;
  message: string;
}

export type ParsedJsonc = { ok: true; root: JsonNode } | { ok: false; problems: TextProblem[] };

const MAX_DEPTH = 50;
const MAX_PROBLEMS = 5;

const sentences: Record<string, string> = {
  InvalidSymbol: 'this is no value (strings need double quotes)',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":"',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'expected the end of the file',
  InvalidCommentToken: 'this is not a comment',
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed',
  UnexpectedEndOfNumber: 'the number is not complete',
  InvalidUnicode: 'this is not a Unicode escape (\\u and four hexadecimal digits)',
  InvalidEscapeCharacter: 'this is not an escape sequence',
  InvalidCharacter: 'a control character must be escaped here',
};

/** Parses JSON with comments. An empty text counts as an empty object. */
export async function parseJsonc(text: string): Promise<ParsedJsonc> {
  const plain = readPlainJson(text);
  return plain ? { ok: true, root: plain } : parseAnyJsonc(text);
}

/** The same without the short cut for plain JSON; reports what is wrong in the text. */
export async function parseAnyJsonc(text: string): Promise<ParsedJsonc> {
  const { createScanner, parseTree, printParseErrorCode } = await import('./jsonc-parser.js');
  const positionOf = positionsIn(text);
  const mayBeDeep = (text.match(/[[{]/g)?.length ?? 0) > MAX_DEPTH;
  const deep = mayBeDeep ? tooDeep(createScanner(text, true)) : null;
  if (deep !== null) {
    const message = `nested more than ${MAX_DEPTH} levels deep`;
    return { ok: false, problems: [{ at: positionOf(deep), message }] };
  }
  const errors: ParseError[] = [];
  const content = text.replace(/^\uFEFF/, ' ');
  const root = parseTree(content, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) {
    const problems = errors.map(({ error, offset }) => {
      const code = printParseErrorCode(error);
      return { at: positionOf(offset), message: sentences[code] ?? code };
    });
    return { ok: false, problems: firstOfEachLine(problems).slice(0, MAX_PROBLEMS) };
  }
  return {
    ok: true,
    root: root ? convert(root, positionOf) : { type: 'object', entries: [], at: positionOf(0) },
  };
}

/** Keeps the first problem of each line: the others usually follow from it. */
function firstOfEachLine(problems: readonly TextProblem[]): TextProblem[] {
  return problems.filter(
    ({ at }, index) => problems.findIndex((other) => other.at.line === at.line) === index,
  );
}

/** The parser is recursive: text nested without end would exhaust its stack. */
function tooDeep(scanner: { scan(): number; getTokenOffset(): number }): number | null {
  const [open, close, end] = [[1, 3], [2, 4], 17];
  let depth = 0;
  for (let token = scanner.scan(); token !== end; token = scanner.scan()) {
    if (open.includes(token) && ++depth > MAX_DEPTH) return scanner.getTokenOffset();
    if (close.includes(token)) depth--;
  }
  return null;
}

function positionsIn(text: string): (offset: number) => JsonPosition {
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

function convert(node: Node, positionOf: (offset: number) => JsonPosition): JsonNode {
  const at = positionOf(node.offset);
  switch (node.type) {
    case 'object':
      return {
        type: 'object',
        at,
        entries: (node.children ?? []).flatMap((child) => entry(child, positionOf)),
      };
    case 'array':
      return { type: 'array', at, items: (node.children ?? []).map((child) => convert(child, positionOf)) };
    default:
      return { type: node.type, at, value: node.value } as JsonNode;
  }
}

function entry(property: Node, positionOf: (offset: number) => JsonPosition): JsonEntry[] {
  const [name, value] = property.children ?? [];
  if (!name || !value) return [];
  return [{ name: String(name.value), at: positionOf(name.offset), value: convert(value, positionOf) }];
}
