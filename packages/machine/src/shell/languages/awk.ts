import type { Reporter, Verdict } from '../models/model.js';
import type { ReadArguments } from '../models/read-arguments.js';

/** The program, then files or assignments. */
export function examineAwk({ options, operands }: ReadArguments, report: Reporter): Verdict | undefined {
  const fromFile = options.some(({ name }) => name === '-f' || name === '--file');
  if (fromFile) report.unknownProgram('`awk -f` runs a program from a file');
  const program = fromFile ? undefined : operands[0];
  const files = fromFile ? operands : operands.slice(1);
  if (program !== undefined) {
    if (program.kind !== 'literal') report.unknownProgram('`awk` runs a program known only when it runs');
    else {
      const finding = judgeAwk(program.text);
      if (finding?.starts) report.unknownProgram(`\`awk\` ${finding.reason}`);
      else if (finding) report.doubt(`\`awk\` ${finding.reason}`);
    }
  }
  for (const file of files) {
    if (!/^[A-Za-z_]\w*=/.test(file.prefix) && file.text !== '-') report.read(file);
  }
  return undefined;
}

interface AwkFinding {
  reason: string;
  /** The script may start a program or write a file: no rule covers that. */
  starts?: true;
}

/** Looked for in the whole text, strings and patterns too: a mistake in reading those must not hide them. */
const words: readonly [RegExp, AwkFinding][] = [
  [/system/, { reason: 'may run commands with system()', starts: true }],
  [/getline/, { reason: 'may run commands or read files with getline', starts: true }],
  [/@/, { reason: 'may load or call other code', starts: true }],
  [/ARGV|ARGC|SYMTAB/, { reason: 'chooses itself which files it reads' }],
  [/ENVIRON/, { reason: 'prints the environment' }],
  [/\/inet/, { reason: 'may reach the network', starts: true }],
];

/** The first thing an awk program does beyond printing what it reads, or null. */
export function judgeAwk(program: string): AwkFinding | null {
  for (const [pattern, finding] of words) if (pattern.test(program)) return finding;
  return judgeTokens(program);
}

const unsure: AwkFinding = {
  reason: 'has a program that is not simple enough to be sure about',
  starts: true,
};
const token =
  /[ \t\r]+|\\\n|#[^\n]*|\n|"(?:[^"\\\n]|\\[^\n])*"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\|\||&&|\|&|>>|[<>=!+\-*/%^~]=|\+\+|--|\*\*|!~|[{}()[\];,?:<>=!+\-*/%^~$|]/y;
/** A regular expression with everyday brackets only: awks differ about a slash, a backslash or a first `]` in them. */
const pattern = /\/(?:[^/\\\n[]|\\[^\n]|\[(?!\^?\])(?:\[:\w+:\]|[^[\]/\\\n])+\])+\//y;

/** After these a slash begins a pattern, after others it divides; where awks disagree nothing is proven. */
const beforePattern = /^([{};,(!~?:]|&&|\|\||\n|print|printf|return|in|else|do|~=|!~)$/;
const dividend = /^([A-Za-z_]\w*|[\d.].*|\])$/;
const ambiguous =
  /^(length|getline|if|while|for|next|nextfile|exit|delete|case|default|switch|func|function)$/;

interface AwkState {
  last: string;
  /** For each open bracket, what a slash after it would follow: an end of a condition, or a value. */
  open: string[];
  printing: boolean;
}

function judgeTokens(program: string): AwkFinding | null {
  const state: AwkState = { last: '\n', open: [], printing: false };
  let at = 0;
  while (at < program.length) {
    const startsPattern = program[at] === '/' && beforePattern.test(state.last);
    if (program[at] === '/' && !startsPattern && !isDividend(state.last)) return unsure;
    const expression = startsPattern ? pattern : token;
    expression.lastIndex = at;
    const found = expression.exec(program)?.[0];
    if (found === undefined) return unsure;
    at += found.length;
    if (/^([ \t\r]|\\\n|#)/.test(found)) continue;
    const finding = outputOf(found, state);
    if (finding) return finding;
    state.last = startsPattern ? ']' : follow(found, state);
  }
  return null;
}

function isDividend(last: string): boolean {
  return dividend.test(last) && !ambiguous.test(last);
}

function outputOf(found: string, { printing, open }: AwkState): AwkFinding | null {
  if (found === '|' || found === '|&') return { reason: 'pipes into or from a command', starts: true };
  if (found === '>>' || (found === '>' && printing && open.length === 0))
    return { reason: 'writes files', starts: true };
  return null;
}

/** Takes a token into account; what comes next is judged by what it returns. */
function follow(found: string, state: AwkState): string {
  if (found === '(' || found === '[') state.open.push(/^(if|while|for)$/.test(state.last) ? ';' : ']');
  if (found === ')' || found === ']') return state.open.pop() ?? ';';
  if (found === 'print' || found === 'printf') Object.assign(state, { printing: true, open: [] });
  // Not at the end of a line: after a comma the statement goes on behind it.
  if (/^[{};]$/.test(found)) state.printing = false;
  return found;
}
