import type { ParameterExpansionPart, ParsedScript, SyntaxNode, WordPart } from 'unbash';
import { doubt, listUnknownProgram } from '../findings.js';
import { type ShellWord, someToken, Unreadable } from '../shell-word.js';
import { innerScope, MOST_DEPTH, type Scope } from './scope.js';

/** A part of a word, before it is joined with its neighbours. */
export type Piece = Pick<ShellWord, 'kind' | 'text' | 'values' | 'loose' | 'canonical'>;

const plainValue = /^[A-Za-z0-9_./:@%+,=-]*$/;
const plainOperand = /^[A-Za-z0-9_./:@%+,=*?-]*$/;

function dynamicPiece(canonical: string, quoted: boolean): Piece {
  return { kind: 'dynamic', text: '', values: [], loose: !quoted, canonical };
}

/** Reads `$x`, `${x…}`, `$(…)`, `$((…))`; anything else that expands is a doubt. */
export function expansionPiece(part: WordPart, scope: Scope, quoted: boolean): Piece {
  switch (part.type) {
    case 'SimpleExpansion':
      return variablePiece(part.text.slice(1), { text: part.text, scope, quoted });
    case 'ParameterExpansion':
      return parameterPiece(part, scope, quoted);
    case 'CommandExpansion': {
      const inner = substitution(part.script, scope);
      const canonical = `$( ${inner.text} )`;
      if (inner.prints !== undefined) {
        // A failure prints nothing.
        const values = [someToken, ...(inner.prints === 'name' ? [`-${someToken}`] : []), ''];
        return { kind: 'values', text: '', values, loose: !quoted, canonical };
      }
      if (!quoted) doubt(scope.findings, 'the output of $(…) without quotes may turn into any words');
      return dynamicPiece(canonical, quoted);
    }
    case 'ArithmeticExpansion':
      if (/^\$\(\([\d\s+\-*/%()<>=!&|^?:]*\)\)$/.test(part.text)) {
        return { kind: 'values', text: '', values: ['0', '-0'], loose: false, canonical: part.text };
      }
      listInner(part, scope);
      listUnknownProgram(scope.findings, 'arithmetic on variables may run commands');
      return dynamicPiece(part.text, quoted);
    default:
      listInner(part, scope);
      doubt(scope.findings, `${part.text} is not simple enough to be sure about`);
      return dynamicPiece('', quoted);
  }
}

export function substitution(script: ParsedScript | undefined, scope: Scope) {
  if (script === undefined) throw new Unreadable('a substitution could not be read');
  if (scope.depth >= MOST_DEPTH) throw new Unreadable('substitutions are nested too deeply');
  return scope.walkScript(script, { ...innerScope(scope), depth: scope.depth + 1 });
}

/** Lists the commands inside of something that is doubted anyway. */
export function listInner(node: SyntaxNode, scope: Scope): undefined {
  scope.grammar.forEachChild(node, (child) => {
    if (child.type === 'Script') substitution(child, scope);
    else listInner(child, scope);
  });
}

interface VariableUse {
  text: string;
  scope: Scope;
  quoted: boolean;
}

function variablePiece(name: string, { text, scope, quoted }: VariableUse): Piece {
  if (/^[?#$]$/.test(name)) return { kind: 'values', text: '', values: ['0'], loose: false, canonical: text };
  // In quotes too it becomes as many words as there are arguments: here none.
  if (name === '@') return dynamicPiece(text, false);
  const known = scope.variables.get(name);
  if (known && (quoted || (known.kind !== 'glob' && known.values.every((value) => plainValue.test(value))))) {
    return {
      kind: known.kind === 'glob' ? 'glob' : 'values',
      text: known.text,
      values: known.values,
      loose: !quoted,
      canonical: text,
    };
  }
  if (!quoted) doubt(scope.findings, `${text} without quotes may turn into any words`);
  return dynamicPiece(text, quoted);
}

function parameterPiece(part: ParameterExpansionPart, scope: Scope, quoted: boolean): Piece {
  const simple = /^([A-Za-z_]\w*|[?#$!@*0-9])$/.test(part.parameter) && part.index === undefined;
  if (simple && part.prefix === undefined && part.operation === undefined) {
    return variablePiece(part.parameter, { text: part.text, scope, quoted });
  }
  if (simple && part.prefix === '#' && part.operation === undefined) {
    return { kind: 'values', text: '', values: ['0'], loose: false, canonical: part.text };
  }
  listInner(part, scope);
  if (!simple || part.prefix !== undefined || !isPlainOperation(part)) {
    listUnknownProgram(scope.findings, `${part.text} is not simple enough to be sure about`);
  } else if (!quoted) doubt(scope.findings, `${part.text} without quotes may turn into any words`);
  return dynamicPiece(part.text, quoted);
}

/** True for an operation that assigns, computes and runs nothing, and whose own words are plain. */
function isPlainOperation({ operation }: ParameterExpansionPart): boolean {
  switch (operation?.type) {
    case 'Default':
      return /^:?[-+]$/.test(operation.operator) && plainOperand.test(operation.operand.text);
    case 'Remove':
      return plainOperand.test(operation.operand.text);
    case 'Replace':
      return plainOperand.test(operation.pattern.text) && plainOperand.test(operation.replacement.text);
    case 'Slice':
      return /^\d+$/.test(operation.offset.text) && /^\d*$/.test(operation.length?.text ?? '');
    case 'CaseModification':
      return operation.operand === undefined;
    default:
      return false;
  }
}
