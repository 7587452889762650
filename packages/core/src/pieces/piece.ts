/** A folder that pieces are read from: skills, commands, hooks, subagents. */
export interface PieceFolder {
  path: string;
  /** The folder as users know it: `~/.claude/skills`, `.claude/skills`. */
  shown: string;
  /** The only names in it that are meant. */
  only?: readonly string[];
  /** The extension that it belongs to, and the folder of that. */
  extension?: ExtensionPlace;
}

/** An extension that the user accepted, and the folder it lies in. */
export interface ExtensionPlace {
  name: string;
  root: string;
}

/** The problem of a piece. Only this piece is off. */
export interface PieceProblem {
  file: string;
  line?: number;
  problem: string;
}

/** The text of a piece with the folder of its extension in place of the names that formats have for it. */
export function withExtensionRoot(text: string, { extension }: PieceFolder): string {
  return extension
    ? text.replace(/\$\{(?:(?:CLAUDE_)?PLUGIN_ROOT|extensionPath)\}/g, () => extension.root)
    : text;
}

/** A problem as one line: the file, the place and what is wrong. */
export function describePieceProblem({ file, line, problem }: PieceProblem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${problem}.`;
}

const MOST_TOLD = 3;

/** The first problems in full, the others as a number with the command that tells them. */
export function boundedProblems(problems: readonly PieceProblem[], command: string): string[] {
  const told = problems.slice(0, MOST_TOLD).map((each) => `${describePieceProblem(each)} It is off.`);
  const left = problems.length - told.length;
  return left === 0
    ? told
    : [...told, `${left} more ${left === 1 ? 'is' : 'are'} off: ${command} tells why.`];
}
