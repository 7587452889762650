import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Findings } from '../findings.js';
import type { Verdict } from '../models/model.js';
import type { ShellWord } from '../shell-word.js';

/** The parser, which is loaded when the first command is analysed. */
export interface Grammar {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

export interface WalkedScript {
  text: string;
  prints: Verdict['prints'];
}

/** The position of the walk in the line. */
export interface Scope {
  grammar: Grammar;
  findings: Findings;
  /** The text that positions of nodes refer to. */
  source: string;
  /** Every folder the shell may be in here: after `cd a; …` both, since `cd` may fail. */
  directories: readonly string[];
  /** Substitutions and scripts within scripts. */
  depth: number;
  /** Number of assignments of each variable in the whole line. */
  assigned: ReadonlyMap<string, number>;
  /** Variables that are set for certain here, with their values. */
  variables: Map<string, ShellWord>;
  walkScript(script: ParsedScript, scope: Scope): WalkedScript;
}

export const MOST_DEPTH = 12;

/** The scope of a part that may not run, or runs in a shell of its own: variables it sets count inside it alone. */
export function innerScope(scope: Scope): Scope {
  return { ...scope, variables: new Map(scope.variables) };
}
