import type { Node } from '@vscode/tree-sitter-wasm';
import { type Grammar, grammarOf } from './declarations.js';
import { parserFor } from './grammars.js';

/** A declaration of a file. */
export interface SourceDeclaration {
  name: string;
  /** The line, counted from 1. */
  line: number;
  /** 0 at the top of the file. */
  depth: number;
  /** The declaration's first line, as it is written. */
  text: string;
}

const LARGEST_TEXT = 1024 * 1024;
const MOST_DECLARATIONS = 2_000;
const DEEPEST = 200;
const LONGEST_LINE = 160;
/** More than a map looks at: it would find none of them again. */
const MOST_KEPT = 4_000;
const LIMIT_MS = 2_000;

/** Outlines by the digest of the file, the latest last. */
const kept = new Map<string, readonly SourceDeclaration[]>();

/** The declarations of a file in order; null where no grammar knows it or it is too large. */
export async function outlineOf(
  path: string,
  { text, hash }: { text: string; hash: string },
): Promise<readonly SourceDeclaration[] | null> {
  const grammar = grammarOf(path);
  if (!grammar || text.length > LARGEST_TEXT) return null;
  const key = `${grammar.name}\0${hash}`;
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  const found = await parse(text, grammar);
  if (found === null) return null;
  kept.set(key, found);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return found;
}

async function parse(text: string, grammar: Grammar): Promise<SourceDeclaration[] | null> {
  const parser = await parserFor(grammar.name);
  const end = performance.now() + LIMIT_MS;
  try {
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > end });
    if (!tree) return null;
    const declarations: SourceDeclaration[] = [];
    const lines = text.split('\n');
    walk(tree.rootNode, { grammar, lines, declarations }, { depth: 0, level: 0 });
    tree.delete();
    return declarations;
  } finally {
    parser.delete();
  }
}

interface OutlineWalk {
  grammar: Grammar;
  lines: readonly string[];
  declarations: SourceDeclaration[];
}

function walk(node: Node, around: OutlineWalk, { depth, level }: { depth: number; level: number }): void {
  const { grammar, lines, declarations } = around;
  for (const child of node.namedChildren) {
    if (!child || level > DEEPEST || declarations.length >= MOST_DECLARATIONS) return;
    const { type } = child;
    const isHolder = grammar.holders.has(type) && hasBody(child);
    const isTopmost = depth === 0 && isAtTop(child) && (grammar.topmost?.has(type) ?? false);
    if (isHolder || grammar.leaves.has(type) || isTopmost) {
      const line = child.startPosition.row;
      declarations.push({ name: nameOf(child), line: line + 1, depth, text: signature(lines[line] ?? '') });
      if (isHolder) walk(child, around, { depth: depth + 1, level: level + 1 });
    } else if (!isBody(type)) walk(child, around, { depth, level: level + 1 });
  }
}

/** A C structure without a body is a use of its name. */
function hasBody(node: Node): boolean {
  return !node.type.endsWith('_specifier') || node.childForFieldName('body') !== null;
}

function isAtTop({ parent }: Node): boolean {
  return (
    parent === null ||
    parent.parent === null ||
    parent.type === 'export_statement' ||
    parent.parent.parent === null
  );
}

/** Inside of a function: what is declared there is of no use elsewhere. */
function isBody(type: string): boolean {
  return type === 'statement_block' || type === 'compound_statement' || type === 'function_body';
}

function nameOf(node: Node): string {
  const named = node.childForFieldName('name') ?? node.childForFieldName('type');
  if (named) return named.text;
  const declarator =
    node.childForFieldName('declarator') ??
    node.namedChildren.find((child) => child?.type.endsWith('declarator'));
  return declarator ? nameOf(declarator) || declarator.text : '';
}

function signature(line: string): string {
  const text = line.trim().replace(/\s*\{$/, '');
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}

/** The outline as the model reads it: the line, then the declaration, those inside of others indented. */
export function renderOutline(declarations: readonly SourceDeclaration[]): string {
  return declarations.map(({ line, depth, text }) => `${line}: ${'  '.repeat(depth)}${text}`).join('\n');
}
