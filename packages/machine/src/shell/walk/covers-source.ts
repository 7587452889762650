import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Grammar } from './scope.js';

/** Nodes that count as a whole; their inside is judged where they are read. */
const opaque: ReadonlySet<string> = new Set([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticFor',
  'Function',
  'Coproc',
  'Time',
  'Negation',
]);

interface Seen {
  spans: { pos: number; end: number }[];
  subshells: number;
  groups: number;
  cases: number;
}

/**
 * Checks that the parser, which is lenient, stepped over nothing. What is left of the source outside the nodes
 * must be blanks, comments, and the operators and keywords that those nodes need.
 */
export function coversSource(script: ParsedScript, source: string, grammar: Grammar): boolean {
  const seen: Seen = { spans: [], subshells: 0, groups: 0, cases: 0 };
  for (const statement of script.commands) visit(statement, seen, grammar);
  const rest = gaps(seen.spans, source, script);
  const count = (text: string): number => rest.split(text).length - 1;
  return (
    /^(?:\s|[;&|(){}!]|\b(?:if|then|elif|else|fi|for|select|in|do|done|while|until|case|esac)\b)*$/.test(
      rest,
    ) &&
    count('(') >= seen.subshells &&
    count('(') <= seen.subshells + seen.cases &&
    count(')') === seen.subshells + seen.cases &&
    count('{') === seen.groups &&
    count('}') === seen.groups
  );
}

function visit(node: SyntaxNode, seen: Seen, grammar: Grammar): void {
  if (opaque.has(node.type)) {
    seen.spans.push(node);
    return;
  }
  if (node.type === 'HereDoc') {
    // The text between the operator and its body belongs to others.
    seen.spans.push({ pos: node.pos, end: node.delimiter?.end ?? node.pos }, node.body);
    if (node.closing) seen.spans.push(node.closing);
    return;
  }
  if (node.type === 'Subshell') seen.subshells++;
  if (node.type === 'BraceGroup') seen.groups++;
  if (node.type === 'CaseItem') seen.cases++;
  grammar.forEachChild(node, (child) => visit(child, seen, grammar));
}

function gaps(spans: Seen['spans'], source: string, { pos, end }: ParsedScript): string {
  let at = pos;
  let rest = '';
  for (const span of spans.sort((left, right) => left.pos - right.pos)) {
    if (span.pos > at) rest += withoutComments(source.slice(at, span.pos));
    at = Math.max(at, span.end);
    rest += ' ';
  }
  return rest + withoutComments(source.slice(at, end));
}

function withoutComments(gap: string): string {
  return gap.replace(/\\\n/g, ' ').replace(/(^|[\s;&|()])#[^\n]*/g, '$1');
}
